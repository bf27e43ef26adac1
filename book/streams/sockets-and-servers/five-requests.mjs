// Five requests, one after another, with each kind of agent. The server's TCP side says how many connections it saw.
import { Agent, get, globalAgent } from "node:http";
import { address, hear, print, where } from "../shared/asking.mjs";

const { tcp } = await where();
const connections = async () => Number(await hear({ port: tcp, host: "127.0.0.1" }));

const once = (agent) =>
  new Promise((resolve, reject) => {
    const request = get({ ...address(), agent }, (response) =>
      response.resume().on("end", resolve),
    );
    request.on("error", reject);
  });

const kept = new Agent({ keepAlive: true });
const agents = {
  "the default, http.globalAgent": globalAgent,
  "new Agent()": new Agent(),
  "new Agent({ keepAlive: true })": kept,
  "agent: false": false,
  fetch: undefined,
};

for (const [agent, given] of Object.entries(agents)) {
  const before = await connections();
  for (let i = 0; i < 5; i += 1) {
    if (agent === "fetch") await (await fetch(process.env.SERVER_URL)).text();
    else await once(given);
    await new Promise(setImmediate); // the agent takes a socket back after the end of its answer
  }
  print({ agent, requests: 5, connections: (await connections()) - before });
}
process.exit();
