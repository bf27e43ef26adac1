// while-waiting.mjs N: N HTTP requests wait at once; meanwhile the TCP server is asked again and again.
import { Agent, get } from "node:http";
import { performance } from "node:perf_hooks";
import { address, hear, print, where } from "../shared/asking.mjs";

const many = Number(process.argv[2]);
const { tcp } = await where();
const agent = new Agent({ keepAlive: true });
const began = performance.now();
let waiting = many;

const request = () =>
  new Promise((resolve, reject) => {
    const sent = performance.now();
    const asked = get({ ...address(), agent }, (response) =>
      response.resume().on("end", () => {
        waiting -= 1;
        resolve({ kind: "HTTP", at_ms: sent - began, took_ms: performance.now() - sent });
      }),
    );
    asked.on("error", reject);
  });

const all = Array.from({ length: many }, request);
await new Promise((resolve) => setTimeout(resolve, 20)); // they are connected and under way
while (waiting > 0) {
  const sent = performance.now();
  const said = Number(await hear({ port: tcp, host: "127.0.0.1" }));
  const took = performance.now() - sent;
  print({ kind: "TCP", at_ms: sent - began, took_ms: took, said, waiting });
  await new Promise((resolve) => setTimeout(resolve, 5));
}
for (const row of await Promise.all(all)) print(row);
agent.destroy();
