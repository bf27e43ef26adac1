// What one response costs a server that sends it in one of six ways: CPU time and where it goes, page faults,
// garbage collections. Each way and size in a process of its own, asked by this one over 8 connections.
//   node cost-per-response.mjs 65536,262144 string,"headers first" 2       two rounds, in turns from either end
import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { Session } from "node:inspector/promises";
import { connect } from "node:net";
import { PerformanceObserver } from "node:perf_hooks";

const [, , SIZES, WAYS, ROUNDS = "1"] = process.argv;
const serves = ROUNDS === "serve"; // then there is one size, and one way
const SIZE = Number(SIZES.split(",")[0]);
const CONNECTIONS = 8;
const WARM = 96;
const COUNTED = 200;

const text = "All work and no play makes Jack a dull boy. \n".repeat(SIZE / 45 + 1).slice(0, SIZE);
const bytes = Buffer.from(text);
// As many bytes on the wire, in letters that V8 keeps in two bytes each, and UTF-8 writes in two.
const letters = "работа".repeat(SIZE / 12 + 1).slice(0, SIZE / 2);

const ways = {
  string: (response) => response.end(text),
  "headers first": (response) => {
    response.flushHeaders();
    response.end(text);
  },
  "string (two-byte)": (response) => response.end(letters),
  "headers first (two-byte)": (response) => {
    response.flushHeaders();
    response.end(letters);
  },
  "Buffer each time": (response) => response.end(Buffer.from(text)),
  Buffer: (response) => response.end(bytes),
};

// The names of Node's own functions that hand text or bytes to the system.
const WRITES = /^(write(Utf8|Latin1|Ascii)String|writev|writeBuffer)$/;

async function serve() {
  let responses = 0;
  let collections = 0;
  new PerformanceObserver((list) => (collections += list.getEntries().length)).observe({
    entryTypes: ["gc"],
  });
  const server = createServer((request, response) => {
    if (request.url === "/") responses += 1;
    response.setHeader("content-length", SIZE);
    ways[WAYS](response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  process.send({ port: server.address().port });

  await once(process, "message"); // warm
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.start");
  const [before, count, collected] = [process.resourceUsage(), responses, collections];
  process.send({});
  await once(process, "message"); // done
  const after = process.resourceUsage();
  const { profile } = await session.post("Profiler.stop");
  const n = responses - count;
  const per = (name) => (after[name] - before[name]) / n;
  process.send({
    cpu_us: per("userCPUTime") + per("systemCPUTime"),
    write_us: selfTime(profile, WRITES) / n,
    page_faults: per("minorPageFault"),
    collections: (collections - collected) / n,
  });
  process.disconnect();
  server.close();
}

/** Microseconds in functions whose name matches, by the sampling profiler. */
function selfTime({ nodes, samples, timeDeltas }, names) {
  const chosen = nodes.filter(({ callFrame }) => names.test(callFrame.functionName));
  const ids = new Set(chosen.map(({ id }) => id));
  return samples.reduce((sum, id, i) => sum + (ids.has(id) ? timeDeltas[i] : 0), 0);
}

/** Asks `count` times over one connection, each time after the last byte of the answer before. */
async function ask(port, size, count) {
  const socket = connect(port, "127.0.0.1");
  for (let i = 0; i < count; i++) {
    socket.write("GET / HTTP/1.1\r\nhost: here\r\n\r\n");
    let got = 0;
    let head = 0;
    while (!head || got < head + size) {
      const [chunk] = await once(socket, "data");
      const end = chunk.indexOf("\r\n\r\n");
      if (!head && end >= 0) head = got + end + 4;
      got += chunk.length;
    }
  }
  socket.destroy();
}

async function measure(size, name) {
  const child = fork(process.argv[1], [size, name, "serve"]);
  const told = async () => (await once(child, "message"))[0];
  const { port } = await told();
  const all = (count) =>
    Promise.all(Array.from({ length: CONNECTIONS }, () => ask(port, size, count / CONNECTIONS)));
  await all(WARM);
  child.send("warm");
  await told();
  await all(COUNTED);
  child.send("done");
  const cost = await told();
  await once(child, "exit");
  console.log(JSON.stringify({ way: name, bytes: size, ...cost }));
}

const all = SIZES.split(",").flatMap((size) => WAYS.split(",").map((name) => [Number(size), name]));
if (serves) await serve();
else
  for (let round = 0; round < Number(ROUNDS); round++)
    for (const [size, name] of round % 2 ? all.toReversed() : all) await measure(size, name);
