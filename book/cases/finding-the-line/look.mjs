// look.mjs: readers ask the shop for advice every 10 ms, and one with a large basket comes every 1.6 s. What does the profiler in
// the server say of that: of each function its times and its line, and of each stretch how long it was and who had it?
import { Agent, get } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { print } from "../../streams/shared/asking.mjs";
import { functionsOf, lastOf, lineOf, looksOf, stretchesOf } from "./_profile.mjs";

const { SERVER_URL, LAB_PROFILE = "course" } = process.env;
const BASKETS = { smoke: 1, course: 3, reference: 7 }[LAB_PROFILE];
const [BASKET_MS, ADVICE_MS, WARM_MS] = [1600, 10, 500];
const agent = new Agent({ keepAlive: true });
const ask = (path) =>
  new Promise((resolve, reject) => {
    const request = get(`${SERVER_URL}${path}`, { agent }, async (response) => {
      let text = "";
      for await (const part of response.setEncoding("utf8")) text += part;
      resolve(text);
    });
    request.on("error", reject);
  });

/** A reader every ADVICE_MS; the first basket comes when half of its time is over. */
const visits = async (lastsMs) => {
  const all = [];
  const begun = performance.now();
  for (let ms = 0; ms < lastsMs; ms += ADVICE_MS) {
    await wait(Math.max(0, begun + ms - performance.now()));
    all.push(ask("/advice"));
    if (ms % BASKET_MS === BASKET_MS / 2) all.push(ask("/basket/11000"));
  }
  await Promise.all(all);
};

await Promise.all([ask("/ping"), ask("/advice"), ask("/basket/11000")]);
await visits(WARM_MS);
const begun = performance.now();
await visits(BASKETS * BASKET_MS);
const lastedMs = performance.now() - begun;
const profile = JSON.parse(await ask("/profile"));
agent.destroy();

const looks = lastOf(looksOf(profile), lastedMs); // no stretch of the time before
const functions = [...functionsOf(looks)].map(([name, { own, whole, row }]) => ({
  function: name,
  ...lineOf(profile, name),
  "own time (ms)": own,
  "whole time (ms)": whole,
  "longest in a row (ms)": row,
}));
print({
  baskets: BASKETS,
  looks: looks.length,
  functions: functions.sort((a, b) => b["own time (ms)"] - a["own time (ms)"]),
  stretches: stretchesOf(looks).map(({ at, ms, who, share }) => ({
    "at (s)": at / 1000,
    ms,
    who,
    share,
  })),
});
