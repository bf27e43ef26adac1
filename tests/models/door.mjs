// Clients that all come at once to a server whose requests each take a while: who is let in, and who is served between two of them.
// And, to be compared with lab/predict/accept.py, what the model says of some crowds.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { isMainThread, Worker, workerData } from "node:worker_threads";
import { modelOf } from "./_model.mjs";

const SERVICE_MS = 8;

const [GO, SENT, PORTS] = [0, 1, 2]; // in what both threads see: may they come, how many have asked, and from which ports

/** All connect, and send at once; each asks again as soon as it is answered. */
function crowd() {
  const { port, clients, rounds, shared } = workerData;
  const seen = new Int32Array(shared);
  Atomics.wait(seen, GO, 0);
  for (let i = 0; i < clients; i += 1) {
    const socket = connect(port, "127.0.0.1");
    let asked = 1;
    socket.on("connect", () => Atomics.store(seen, PORTS + i, socket.localPort));
    socket.write("?", () => {
      Atomics.add(seen, SENT, 1);
      Atomics.notify(seen, SENT);
    });
    socket.on("data", () => {
      if (asked === rounds) socket.end();
      else socket.write("?");
      asked += 1;
    });
  }
}

/** The order in which Node lets in and serves; null if somebody else knocked at the same port, and took a turn. */
async function real(clients, rounds) {
  const log = [];
  const shared = new SharedArrayBuffer(4 * (PORTS + clients));
  const seen = new Int32Array(shared);
  let come = 0;
  let served = 0;
  let strangers = 0;
  let over;
  const ended = new Promise((resolve) => (over = resolve));
  const server = createServer((socket) => {
    if (!seen.includes(socket.remotePort, PORTS)) {
      strangers += 1;
      return socket.destroy();
    }
    come += 1;
    const name = come;
    log.push(`in ${name}`);
    socket
      .on("error", () => {})
      .on("data", () => {
        const until = performance.now() + SERVICE_MS;
        while (performance.now() < until);
        log.push(`served ${name}`);
        socket.write("!");
        served += 1;
        if (served === clients * rounds) over();
      });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address();
  const worker = new Worker(new URL(import.meta.url), {
    workerData: { port, clients, rounds, shared },
  });
  // All are at the door, and have asked, before the loop turns again.
  await new Promise((resolve) => worker.once("online", resolve));
  Atomics.store(seen, GO, 1);
  Atomics.notify(seen, GO);
  for (let n = 0; n < clients; n = Atomics.load(seen, SENT))
    if (Atomics.wait(seen, SENT, n, 20_000) === "timed-out") throw new Error(`${n} came`);
  await ended;
  await worker.terminate();
  server.close();
  return strangers ? null : log;
}

if (!isMainThread) crowd();
else {
  const model = await modelOf("door");
  const { play } = globalThis.LabModel;
  const [major, minor] = process.versions.node.split(".").map(Number);
  const rule = major > 20 || (major === 20 && minor >= 3) ? "one" : "all";
  let cases = 0;
  const crowd_sizes = [
    [4, 1],
    [5, 2],
    [6, 3],
  ];
  for (const [clients, rounds] of crowd_sizes) {
    let log = null;
    for (let i = 0; i < 20 && !log; i += 1) log = await real(clients, rounds);
    assert.ok(log, "somebody else knocks at every port, every time");
    // Who is served between two that are let in; what comes before the first is nobody.
    const between = log
      .join(",")
      .split(/in \d+,?/)
      .slice(1)
      .map((part) => part.match(/\d+/g) ?? []);
    const told = log.join(", ");
    if (rule === "all") assert.deepEqual(between.slice(0, -1).flat(), [], told);
    else {
      // One a turn: before the next is let in, everybody inside is served once and nobody twice. Who has just come in is served in
      // the turn after; the last to come are alone with the loop.
      const turns = between.slice(0, -1);
      for (const some of turns) assert.equal(new Set(some).size, some.length, told);
      for (let i = 1; i < clients - 1; i += 1)
        assert.equal(
          turns.findIndex((some) => some.includes(String(i))),
          i,
          told,
        );
    }
    cases += 1;
  }
  const crowds = [];
  for (const clients of [2, 5, 8, 12])
    for (const rounds of [1, 2, 3, 5])
      for (const patience of [2, 7, 10, 23, 40])
        for (const let_in of ["one", "all"]) {
          const { state } = play(model, ["rest"], { rule: let_in, clients, rounds, patience });
          const { failed, answered, now, turn } = state;
          crowds.push({ clients, rounds, patience, rule: let_in, failed, answered, now, turn });
        }
  console.log(JSON.stringify({ node: process.version, cases, crowds }));
}
