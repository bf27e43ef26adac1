// kinds.mjs: twenty clients wait for their answers, and one more sends a request that fails. By the way in which it fails and by
// what the server does then: what does that one get, and how many of the twenty get their answers?
import { setTimeout as wait } from "node:timers/promises";
import { print } from "../../streams/shared/asking.mjs";
import { ask, start } from "./_server.mjs";

const OTHERS = 20;
const POLICIES = ["ends at once", "goes on", "is caught"];
const WORK_MS = "600"; // for each of their answers
const PATIENCE_MS = 700; // of the one that fails

const tried = async (fails, THEN, execArgv) => {
  const { child, ended, port } = await start("fails", { THEN, WORK_MS }, execArgv);
  const others = Array.from({ length: OTHERS }, () => ask(port, "/"));
  await wait(100); // they are there
  const gets = await ask(port, `/${fails}`, PATIENCE_MS);
  const answered = (await Promise.all(others)).filter((status) => status === "200").length;
  if (answered < OTHERS) await Promise.race([ended, wait(3000)]); // sockets close before the process is gone
  const lives = child.exitCode === null;
  child.kill();
  const [code] = await ended;
  return { fails, gets, answered, process: lives ? "lives" : `ended with ${code}` };
};

for (const fails of ["throws", "rejects", "later", "emits"]) {
  const runs = await Promise.all(POLICIES.map((policy) => tried(fails, policy)));
  for (const [i, policy] of POLICIES.entries()) print({ policy, ...runs[i] });
}
const warned = await tried("rejects", "ends at once", ["--unhandled-rejections=warn"]);
print({ policy: "is warned of", ...warned });
