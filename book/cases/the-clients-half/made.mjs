// How many promises and other asynchronous resources does a call make in the client, by fetch and by http.get on a kept connection?
import { createHook } from "node:async_hooks";
import { Agent, get } from "node:http";
import { print } from "../../streams/shared/asking.mjs";
import { farAway } from "./_far.mjs";

const CALLS = 50;
const { url } = await farAway(65_536);
const agent = new Agent({ keepAlive: true });
const ways = {
  fetch: async () => (await fetch(url)).arrayBuffer(),
  "http.get": () =>
    new Promise((resolve, reject) => {
      const request = get(url, { agent }, (response) => response.resume().on("end", resolve));
      request.on("error", reject);
    }),
};

const made = { PROMISE: 0, other: 0 };
const hook = createHook({
  init: (_id, type) => (made[type === "PROMISE" ? type : "other"] += 1),
});
for (const [client, call] of Object.entries(ways)) {
  for (let n = 0; n < 5; n++) await call(); // the first connections
  hook.enable();
  const before = { ...made };
  for (let n = 0; n < CALLS; n++) await call();
  hook.disable();
  print({
    client,
    "promises a call": (made.PROMISE - before.PROMISE) / CALLS,
    "other resources a call": (made.other - before.other) / CALLS,
  });
}
process.exit();
