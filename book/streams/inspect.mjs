// Keeps 50 connections busy, and meanwhile reads the server's variables through its REPL; then changes one.
import { statSync } from "node:fs";
import { Agent, get } from "node:http";
import { connect } from "node:net";
import { performance } from "node:perf_hooks";
import { address, print, where } from "./asking.mjs";
import { scale } from "./watching.mjs";

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
const began = performance.now();
const since = () => (performance.now() - began) / 1000;
const answers = [];
let last = "";
const ask = () =>
  since() < SECONDS &&
  get({ ...address(), agent }, async (response) => {
    last = "";
    for await (const part of response) last += part;
    answers.push(since());
    ask();
  });
for (let i = 0; i < 50; i += 1) ask();

while (since() < SECONDS) {
  const asked = since();
  const requests = Number(await look("state.requests")) - before;
  const [t_s, took_ms] = [since(), 1000 * (since() - asked)];
  print({ kind: "look", t_s, requests, answered: answers.length, took_ms });
  await new Promise((resolve) => setTimeout(resolve, 50));
}
await new Promise((resolve) => setTimeout(resolve, 100));
const requests = Number(await look("state.requests")) - before;
print({ kind: "end", requests, answered: answers.length });
await look('state.greeting = "bonjour\\n"');
print({ kind: "changed", before: last, after: await (await fetch(process.env.SERVER_URL)).text() });
print({ kind: "sees", answer: await look("process.env.HOME ? 'your environment, too' : ''") });
session.end(".exit\n");
agent.destroy();
process.exit();
