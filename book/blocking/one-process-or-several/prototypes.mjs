// What Express takes for an answer, without a network: requests that no client sent. Express gives every request and
// response another prototype; here it does so ("replaced") or not ("left"), in new processes of both. Rows: prototypes, us.
import { spawnSync } from "node:child_process";
import { IncomingMessage, ServerResponse } from "node:http";
import { fileURLToPath } from "node:url";
import express from "express";

const ROUNDS = 8;
const ANSWERS = 5000;

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

const [which] = process.argv.slice(2);
if (which) measure(which);
else
  for (let round = 0; round < ROUNDS; round++)
    for (const prototypes of ["replaced", "left"])
      spawnSync(process.execPath, [fileURLToPath(import.meta.url), prototypes], {
        stdio: "inherit",
      });
