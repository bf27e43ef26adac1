// The processor time of an answer of Express and of Node's http below it, without a network: requests that no client sent,
// 5,000 for each new process, as in the published run. Express gives every request and response another prototype; here
// it does so ("replaced") or not ("left"), in turn. Rows: prototypes, us in user mode.
import { spawnSync } from "node:child_process";
import { IncomingMessage, ServerResponse } from "node:http";
import { fileURLToPath } from "node:url";
import express from "express";

const ROUNDS = 8;
const ANSWERS = 5000;
const WAYS = ["replaced", "left"];

const replace = Object.setPrototypeOf;
const leave = (object, prototype) =>
  object instanceof IncomingMessage || object instanceof ServerResponse
    ? object
    : replace(object, prototype);

const answer = (app) => {
  const request = new IncomingMessage(null);
  Object.assign(request, { method: "GET", url: "/", httpVersionMajor: 1, httpVersionMinor: 1 });
  app(request, new ServerResponse(request));
};

const measure = (prototypes) => {
  Object.setPrototypeOf = prototypes === "left" ? leave : replace;
  const app = express();
  app.get("/", (_request, response) => response.end("hello"));
  const { user: before } = process.cpuUsage();
  for (let i = 0; i < ANSWERS; i++) answer(app);
  const us = (process.cpuUsage().user - before) / ANSWERS;
  console.log(JSON.stringify({ prototypes, us: Math.round(10 * us) / 10 }));
};

const inNewProcess = (prototypes) => {
  const self = fileURLToPath(import.meta.url);
  const { status } = spawnSync(process.execPath, [self, prototypes], { stdio: "inherit" });
  if (status !== 0) process.exit(1); // a pair without its other half is none
};

const [which] = process.argv.slice(2);
if (which) measure(which);
else
  for (let r = 0; r < ROUNDS; r++)
    for (const way of r % 2 ? WAYS.toReversed() : WAYS) inNewProcess(way);
