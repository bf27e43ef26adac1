// Lets threads of the pool hang, then makes a dozen calls and says which of them were answered.
const [names, ...pipes] = process.argv.slice(2);
const crypto = require("node:crypto");
const dgram = require("node:dgram");
const dns = require("node:dns");
const fs = require("node:fs");
const http = require("node:http");
const { spawn } = require("node:child_process");
const { Worker } = require("node:worker_threads");
const zlib = require("node:zlib");

// A name server for dns.resolve4: whatever it is asked, the address is 127.0.0.1.
const answer = Buffer.from("c00c000100010000000000047f000001", "hex");
const nameServer = dgram.createSocket("udp4", (question, from) => {
  const reply = Buffer.concat([question.subarray(0, 18 + question[12]), answer]);
  reply.writeUInt16BE(0x8180, 2);
  reply.writeUInt32BE(0x00010001, 4);
  reply.writeUInt32BE(0, 8);
  nameServer.send(reply, from.port, from.address);
});
const webServer = http.createServer((_request, response) => response.end());
const worker = new Worker(
  `const { parentPort } = require("node:worker_threads");
   parentPort.on("message", (what) => {
     if (what === "message") parentPort.postMessage(what);
     else require("node:fs").stat("/", () => parentPort.postMessage(what));
   });
   parentPort.postMessage("ready");`,
  { eval: true },
);
const resolver = new dns.Resolver();
const get = (host) => (done) =>
  http.get({ host, port: webServer.address().port, family: 4 }, (r) => r.resume().on("end", done));
const inWorker = (what) => (done) => {
  worker.on("message", (said) => said === what && done());
  worker.postMessage(what);
};

const calls = {
  setTimeout: (done) => setTimeout(done, 20),
  "http.get 127.0.0.1": get("127.0.0.1"),
  "http.get localhost": get("localhost"),
  "dns.resolve4": (done) => resolver.resolve4("book", done),
  "dns.lookup": (done) => dns.lookup("localhost", done),
  "fs.statSync": (done) => done(!fs.statSync("/")),
  "fs.stat": (done) => fs.stat("/", done),
  "zlib.gzip": (done) => zlib.gzip("text", done),
  "crypto.randomBytes": (done) => crypto.randomBytes(8, done),
  "child_process.spawn": (done) => spawn("true").on("exit", done),
  "message of a Worker": inWorker("message"),
  "fs.stat in a Worker": inWorker("stat"),
};

const begin = () => {
  for (let i = 0; i < Number(names); i++) dns.lookup("name-behind-the-gate", () => {});
  for (const pipe of pipes) fs.open(pipe, () => {});
  const done = [];
  for (const [name, call] of Object.entries(calls)) {
    call((error) => {
      if (error) throw error;
      done.push(name);
    });
  }
  console.log("begun");
  const say = () => console.log(JSON.stringify({ done, every: Object.keys(calls) }));
  setTimeout(say, 500);
  setTimeout(say, 1000);
};

nameServer.bind(0, "127.0.0.1", () => {
  resolver.setServers([`127.0.0.1:${nameServer.address().port}`]);
  webServer.listen(0, "127.0.0.1", () => worker.once("message", begin));
});
