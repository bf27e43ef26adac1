// A hundred calls at the same time to a server that takes 100 ms for each. How many connections does it see, and how long does it take?
import { Agent, get } from "node:http";
import { setTimeout as after } from "node:timers/promises";
import { print } from "../../streams/shared/asking.mjs";
import { far } from "./_far.mjs";

const CALLS = 100;
const { seen, url } = await far(async (_request, response) => {
  await after(100);
  response.end("done\n");
});

const through = (agent) => () =>
  new Promise((resolve, reject) => {
    const request = get(url, { agent }, (response) => response.resume().on("end", resolve));
    request.on("error", reject);
  });
const ways = {
  fetch: async () => (await fetch(url)).text(),
  "http.get": through(undefined),
  "http.get, maxSockets: 10": through(new Agent({ keepAlive: true, maxSockets: 10 })),
};

for (const [client, call] of Object.entries(ways)) {
  const before = seen.connections;
  const since = performance.now();
  await Promise.all(Array.from({ length: CALLS }, call));
  const connections = seen.connections - before;
  print({ client, calls: CALLS, connections, "all done after (ms)": performance.now() - since });
}
process.exit();
