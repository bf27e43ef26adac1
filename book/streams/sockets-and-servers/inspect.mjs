// Keeps 50 connections busy, and meanwhile reads the server's variables through its REPL; then changes one.
import { statSync } from "node:fs";
import { Agent, get } from "node:http";
import { connect } from "node:net";
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { address, print, where } from "../shared/asking.mjs";
import { scale } from "../shared/watching.mjs";

const SECONDS = 1.2 * (scale < 1 ? 0.4 : 1);
const { repl } = await where();
print({ kind: "mode", mode: (statSync(repl).mode & 0o777).toString(8) });

const session = connect(repl).setEncoding("utf8");
const said = () =>
  new Promise((resolve) => {
    let text = "";
    session.on("data", function more(part) {
      text += part;
      if (!text.endsWith("> ")) return;
      session.off("data", more);
      resolve(text.slice(0, -3)); // without the prompt
    });
  });
await said();
const look = (expression) => {
  const answer = said();
  session.write(`${expression}\n`);
  return answer;
};

const before = Number(await look("state.requests")); // whoever asked whether the server is up
const agent = new Agent({ keepAlive: true, maxSockets: 50 });
const ask = () =>
  new Promise((resolve, reject) => {
    const heard = async (response) => {
      let text = "";
      for await (const part of response) text += part;
      resolve(text);
    };
    const request = get({ ...address(), agent }, (response) => heard(response).catch(reject));
    request.on("error", reject);
  });

const began = performance.now();
const since = () => (performance.now() - began) / 1000;
let answered = 0;
let last = "";
const client = async () => {
  while (since() < SECONDS) {
    last = await ask();
    answered += 1;
  }
};
const clients = Promise.all(Array.from({ length: 50 }, client));

while (since() < SECONDS) {
  const asked = since();
  const requests = Number(await look("state.requests")) - before;
  const [t_s, took_ms] = [since(), 1000 * (since() - asked)];
  print({ kind: "look", t_s, requests, answered, took_ms });
  await sleep(50);
}
await clients; // none of them is under way any more
const requests = Number(await look("state.requests")) - before;
print({ kind: "end", requests, answered });
await look('state.greeting = "bonjour\\n"');
print({ kind: "changed", before: last, after: await ask() });
print({ kind: "sees", answer: await look("process.env.HOME ? 'your environment, too' : ''") });
session.end(".exit\n");
agent.destroy();
process.exit();
