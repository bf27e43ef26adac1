// restarts.mjs WORK_MS POLICY ...: a client comes every 10 ms; answers take WORK_MS; one request fails. A supervisor starts a new
// process when the old one has ended, or asks for it. What became of the clients, and for how long did nobody listen?

import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { freePort, print } from "../../streams/shared/asking.mjs";
import { ask, start } from "./_server.mjs";

const [WORK_MS, ...policies] = process.argv.slice(2);
const EVERY_MS = 10;
const BIN_MS = 50;
const FAILS = Math.ceil(Number(WORK_MS) / EVERY_MS) + 30; // the client whose request fails: by then all is as usual
const AFTER = 30; // clients who come when there is a process again
const MOST = 1500;

const supervised = async (THEN) => {
  const PORT = String(await freePort()); // every process of one supervisor takes the same
  const all = [];
  const gaps = [];
  let stopped = false;
  const next = async () => {
    const since = performance.now();
    const one = await start("fails", { THEN, WORK_MS, PORT });
    gaps.push(performance.now() - since);
    if (stopped) return one.child.kill();
    all.push(one);
    const again = Promise.race([one.ended, once(one.child, "message")]);
    again.then(() => stopped || next());
  };
  await next();
  const stop = async () => {
    stopped = true;
    for (const { child } of all) child.kill();
    await Promise.all(all.map(({ ended }) => ended));
    return gaps.at(-1);
  };
  return { port: Number(PORT), all, stop };
};

for (const policy of policies) {
  const { port, all, stop } = await supervised(policy);
  const visits = [];
  const begun = performance.now();
  for (let i = 0, more = AFTER; more > 0 && i < MOST; i++) {
    await wait(Math.max(0, begun + i * EVERY_MS - performance.now()));
    const sent = performance.now() - begun;
    const fate = ask(port, i === FAILS ? "/later" : "/", 2000 + Number(WORK_MS));
    visits.push(fate.then((fate) => ({ sent, fate })));
    if (i > FAILS && (policy === "goes on" || all.length > 1)) more -= 1;
  }
  const fates = await Promise.all(visits);
  const code = all[0].child.exitCode ?? "";
  const startMs = await stop();
  const [{ sent: failed, fate: gets }] = fates.splice(FAILS, 1); // what is left are the others
  const count = (fate) => fates.filter((one) => one.fate === fate).length;
  const share = (from) => {
    const those = fates.filter(
      ({ sent }) => Math.floor((sent - failed) / BIN_MS) * BIN_MS === from,
    );
    const served = those.filter(({ fate }) => fate === "200").length;
    return [from + BIN_MS / 2, Math.round((100 * served) / those.length)];
  };
  const bins = fates.map(({ sent }) => Math.floor((sent - failed) / BIN_MS) * BIN_MS);
  print({
    policy,
    "the one that failed": gets,
    clients: fates.length,
    answered: count("200"),
    "answer lost": count("cut"),
    refused: count("refused"),
    "exit code": code,
    "a start takes (ms)": Math.round(startMs),
    shares: [...new Set(bins)].map(share), // [sent, ms after the one that failed; answered, in %]
  });
}
