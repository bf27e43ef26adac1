// Asks the counter at SERVER_URL over 1, 2, 5, 10 and 20 connections, then for its number. A line per number of
// connections: how many requests were answered, how many of them were counted, and how long it took.
import { Agent, get } from "node:http";

const url = process.env.SERVER_URL;
const REQUESTS = Number(process.argv[2] ?? 100);

const ask = (agent, path) =>
  new Promise((resolve, reject) => {
    get(url + path, { agent }, async (response) => {
      let text = "";
      for await (const chunk of response) text += chunk;
      if (response.statusCode === 200) resolve(text);
      else reject(new Error(`${path}: ${response.statusCode}`));
    }).on("error", reject);
  });

for (const connections of [1, 2, 5, 10, 20]) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const before = Number(await ask(agent, "/count"));
  const begin = performance.now();
  let left = REQUESTS;
  // Each client sends its next request when it has an answer.
  const client = async () => {
    while (left-- > 0) await ask(agent, "/");
  };
  await Promise.all(Array.from({ length: connections }, client));
  const seconds = (performance.now() - begin) / 1000;
  const counted = Number(await ask(agent, "/count")) - before;
  agent.destroy();
  const kept = counted / REQUESTS;
  console.log(JSON.stringify({ connections, requests: REQUESTS, counted, kept, seconds }));
}
