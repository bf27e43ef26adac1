// after-bad.mjs: twenty requests at once, then a bad one, then twenty again, and so on. How many of the twenty are answered, when
// is the last one, and how many coins are missing?
import { address, print } from "../../streams/shared/asking.mjs";
import { ask } from "./_server.mjs";

const { host, port } = address();
const sum = async () => Number(await (await fetch(`http://${host}:${port}/sum`)).text());
const PATIENCE_MS = 1500;

for (let bad = 0; bad <= 4; bad++) {
  if (bad) await ask(port, "/bad");
  const begun = performance.now();
  const each = async () => ({ status: await ask(port, "/", PATIENCE_MS), at: performance.now() });
  const twenty = await Promise.all(Array.from({ length: 20 }, each));
  const served = twenty.filter(({ status }) => status === "200");
  print({
    "bad requests so far": bad,
    "answered, of 20": served.length,
    "the last one after (ms)": Math.round(Math.max(0, ...served.map(({ at }) => at - begun))),
    "coins missing": 1000 - (await sum()),
  });
}
