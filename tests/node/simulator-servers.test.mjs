// Servers with virtual clients on the model: laws that hold whatever the server, what a handler may do, and what is refused.
// The claims of the book are compared in tests/simulator/test_virtual_servers.py.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createMachine, NotModelledError } from "../../lab/simulator/index.js";
import { natives } from "../../lab/simulator/natives.js";
import { exported } from "../../lab/simulator/page/server-export.js";
import { parts } from "../../lab/simulator/parts.mjs";
import { CAUSES, serve } from "../../lab/simulator/servers.js";

const PACKAGES = new URL("../../tools/nodes/26/node_modules/", import.meta.url);
const name = readdirSync(PACKAGES).find((folder) => folder.startsWith("node-"));
const node = new URL(`${name}/bin/node`, PACKAGES).pathname;
const clock = () => process.cpuUsage().user / 1000;
const machine = await createMachine(await natives(node), await parts(), { clock, limitMs: 10_000 });
const server = (body, before = "") =>
  `${before}\ncreateServer(async (request, response) => {\n${body}\n}).listen(3000);\n`;
const FREE = { requestMs: 0, connectMs: 0 };
const run = (source, load = {}) => serve(machine, source, { ...FREE, ...load });
const near = (value, wanted, share = 0.02) =>
  assert.ok(Math.abs(value / wanted - 1) <= share, `${value}, and ${wanted} is expected`);
const refused = (source, load, words) =>
  assert.throws(
    () => run(source, load),
    (error) => {
      assert.ok(error instanceof NotModelledError, String(error));
      assert.match(error.message, words);
      return true;
    },
  );
const END = "response.end('done\\n');";

const SERVERS = {
  "a loop that computes": server(`busy(10); ${END}`),
  "a timer": server(`setTimeout(() => response.end(), 20);`),
  "a pool": server(`await hash(7); ${END}`),
  "a database behind some computing": server(`busy(2); await query(9); ${END}`),
};
for (const [what, source] of Object.entries(SERVERS))
  test(`Little's law holds with ${what}`, () => {
    for (const load of [{ clients: 12 }, { rate: 70 }, { clients: 12, thinkMs: 30 }]) {
      const { summary } = run(source, { ...load, seconds: 6, warmSeconds: 2 });
      near(summary.throughput * (summary.mean / 1000), summary.inProgress, 0.05);
    }
  });

test("a loop that computes 10 ms answers 100 a second, and ten clients wait 100 ms each", () => {
  const { summary } = run(SERVERS["a loop that computes"], {
    clients: 10,
    warmSeconds: 2,
    seconds: 4,
  });
  near(summary.throughput, 100);
  near(summary.p50, 100);
  near(summary.causes.loop, 10);
  near(summary.causes.door, 90);
});

test("threads that compute share the processors that are assumed, and those that wait do not", () => {
  const rate = (call, more) =>
    run(server(`await ${call}; ${END}`), { clients: 20, warmSeconds: 1, seconds: 3, ...more })
      .summary.throughput;
  near(rate("hash(10)", { processors: 2 }), 200);
  near(rate("hash(10)", { processors: 4 }), 400);
  near(rate("hash(10)", { processors: 8 }), 400); // there are four threads
  near(rate("hash(10)", { processors: 8, threads: 8 }), 800);
  near(rate("read(10)", { processors: 1 }), 400);
  near(rate("query(10)", { processors: 1, connections: 5 }), 500);
});

test("an open loop above the capacity grows without an end, and below it does not", () => {
  const source = SERVERS["a loop that computes"];
  const longest = (rate, seconds) => {
    const { rows } = run(source, { rate, schedule: "constant", seconds });
    return Math.max(...rows.map(({ wait }) => wait));
  };
  near(longest(200, 4) / longest(200, 2), 2, 0.1);
  assert.ok(longest(200, 4) > 1500);
  near(longest(50, 4), 10, 0.1);
});

test("who gives up closes the connection, and the handler can see it", () => {
  const source = `let gone = 0;\n${server(
    `response.on("close", () => { if (!response.writableFinished) gone++; });
     await query(50);
     if (request.url === "/gone") return response.end();
     response.writeHead(response.destroyed ? 500 : 200).end(); console.log(gone);`,
  )}`;
  const { summary, rows, printed } = run(source, {
    clients: 8,
    connections: 1,
    patienceMs: 120,
    seconds: 2,
  });
  assert.ok(summary.gaveUp > 10, String(summary.gaveUp));
  for (const { status, wait } of rows) if (status === 0) near(wait, 120, 0.001);
  assert.ok(Number(printed.lines.at(-1)) > 0);
  // The server goes on working for those who have left.
  assert.ok(summary.throughput < 20);
});

test("a client that leaves before it is let in is worked for all the same", () => {
  const { rows } = run(server(`busy(50); ${END}`), { clients: 30, rounds: 1, patienceMs: 200 });
  const gone = rows.filter(({ status }) => status === 0);
  assert.ok(gone.length > 20, String(gone.length));
});

test("without keep-alive each request takes a connection", () => {
  const source = SERVERS["a loop that computes"];
  const count = (keepAlive) => run(source, { clients: 5, rounds: 4, keepAlive }).connections;
  assert.equal(count(true), 5);
  assert.equal(count(false), 20);
  const rate = (keepAlive) =>
    run(server(END), { clients: 5, rounds: 100, keepAlive, requestMs: 0.1, connectMs: 0.3 }).summary
      .throughput;
  assert.ok(rate(false) < 0.5 * rate(true));
});

test("two processes answer twice as many, as long as they have processors", () => {
  const rate = (more) =>
    run(SERVERS["a loop that computes"], { clients: 20, warmSeconds: 2, seconds: 4, ...more })
      .summary.throughput;
  near(rate({ processes: 2, processors: 2 }), 200);
  near(rate({ processes: 4, processors: 2 }), 200);
  near(rate({ processes: 4, processors: 4 }), 400);
  // A process without a client does not make the run longer.
  const few = { clients: 1, rounds: 10, processors: 8 };
  const { endMs } = run(SERVERS["a loop that computes"], { ...few, processes: 4 });
  near(endMs, 100);
});

test("the causes of a wait add up to it, and each is of its own request", () => {
  const source = server(
    `const wait = 2 + (Number(request.headers.n) || 0); busy(1); await hash(4); busy(wait);
     await query(6); await new Promise((resolve) => setTimeout(resolve, 5)); busy(3); ${END}`,
  );
  const { rows } = run(source, { clients: 6, connections: 2, seconds: 2, processors: 2 });
  const answered = rows.filter(({ status }) => status === 200);
  assert.ok(answered.length > 100);
  for (const row of answered) {
    const known = CAUSES.slice(0, -1).reduce((sum, cause) => sum + row[cause], 0);
    assert.ok(known <= row.wait + 1e-6, JSON.stringify(row));
    assert.ok(row.loop >= 6 - 1e-9 && row.thread >= 4 - 1e-9 && row.query >= 6 - 1e-9);
  }
});

test("the same seed gives the same run, and another seed another one", () => {
  const figures = (seed) =>
    JSON.stringify(run(SERVERS["a pool"], { rate: 90, seed, seconds: 1 }).rows);
  assert.equal(figures(1), figures(1));
  assert.notEqual(figures(1), figures(2));
});

test("too many requests end the run, and that is said", () => {
  const { cut, rows } = run(server(END), { clients: 10, requestMs: 0.01, seconds: 10 });
  assert.equal(cut, "requests");
  assert.equal(rows.length, 5000);
});

test("all processes together stop in time, and that is said", () => {
  const start = clock();
  const load = { clients: 100, requestMs: 0.001, seconds: 60, processes: 16 };
  const slow = server(`for (let n = 0; n < 1e5; n++); ${END}`);
  const { cut } = run(slow, load);
  assert.equal(cut, "time");
  assert.ok(clock() - start < 9000, `${clock() - start} ms`);
});

test("a server that is written as for Node runs, as a module and as CommonJS", () => {
  const texts = [
    `import { createServer } from "node:http"; import { setTimeout as wait } from "node:timers/promises";
     const server = createServer(async (request, response) => { await wait(5); response.setHeader("content-type", "text/plain");
       response.end("x"); }); server.listen(0, "127.0.0.1", () => console.log(server.address().port));
     process.once("SIGTERM", () => process.exit(0));`,
    `const http = require("http"); const server = http.createServer(); server.on("request", (req, res) => {
       res.statusCode = 204; setImmediate(() => res.end()); }); server.listen({ port: 8080 });`,
  ];
  for (const text of texts) {
    const { summary, error } = run(text, { clients: 3, rounds: 3 });
    assert.equal(error, null);
    assert.equal(summary.answered, 9);
  }
});

test("what a program throws is told, and whether it was at a request", () => {
  const { error } = run(server("foo(10);"), { clients: 2 });
  assert.match(error.report, /ReferenceError: foo is not defined/);
  assert.equal(run(server("foo(10);"), { clients: 2 }).summary.answered, 0);
});

test("a program that ends itself is told, with its exit code", () => {
  for (const code of [0, 3]) {
    const { error } = run(server(`${END} process.exit(${code});`), { clients: 2 });
    assert.deepEqual([error.report, error.code], ["", code]);
  }
});

test("a handler that never answers leaves its requests open", () => {
  const { unanswered, summary } = run(server("request.url;"), { clients: 3, seconds: 1 });
  assert.equal(unanswered, 3);
  assert.equal(summary.answered, 0);
});

for (const [what, source, words] of [
  ["the socket", server(`request.socket.destroy(); ${END}`), /no request\.socket/],
  ["piping", server(`request.pipe(response);`), /no request\.pipe/],
  ["Express's own", server(`response.json({});`), /no response\.json/],
  [
    "server.close",
    server(END).replace(".listen(3000)", ".listen(3000).close()"),
    /no server\.close/,
  ],
  [
    "a timeout of the server",
    server(END).replace(".listen", ".setTimeout(5).listen"),
    /no server\.setTimeout/,
  ],
  ["an option", `createServer({ keepAlive: true }, () => {}).listen(1);`, /option keepAlive/],
  [
    "a second server",
    `createServer(() => {}).listen(1); createServer(() => {}).listen(2);`,
    /second server/,
  ],
  ["a client of one's own", `import { get } from "node:http"; get("/");`, /http\.get/],
  ["sockets", `require("net").createServer().listen(1);`, /net\.createServer/],
  ["no server", "console.log(1);", /makes no server/],
  ["no listen", "createServer(() => {});", /does not listen/],
  ["a handler that does not end", server("for (;;);"), /stopped after/],
  ["no program", "createServer((", /SyntaxError/],
  ["https", `require("https");`, /no TLS/],
])
  test(`${what}: one sentence`, () => refused(source, { clients: 2 }, words));

for (const [load, words] of [
  [{ clients: 0 }, /number of clients is a whole number from 1 to 1000, and not 0/],
  [{ clients: Number.NaN }, /number of clients/],
  [{ clients: "ten" }, /and not "ten"/],
  [{ rate: -1 }, /rate is a number/],
  [{ patience: 3 }, /have no patience/],
  [{ schedule: "bursts" }, /poisson or constant/],
  [{ seconds: 1, warmSeconds: 1 }, /warm-up is shorter/],
  [{ processors: 0.5 }, /whole number/],
  [{ groups: [] }, /at least one group/],
])
  test(`clients that cannot be, ${JSON.stringify(load)}: one sentence`, () =>
    refused(SERVERS["a timer"], load, words));

test("a time that is none is an error of the program, which names the call", () => {
  for (const call of ["busy()", "busy(-1)", "busy('10')", "await hash(NaN)", "await query(1e9)"]) {
    const { error } = run(server(`${call}; ${END}`), { clients: 1 });
    assert.match(
      error.report,
      /TypeError: (busy|hash|query)\(.*\): give milliseconds from 0 to 60000/,
    );
  }
});

test("what is saved to be run for real answers in real Node, each server of the book and both kinds of module", async () => {
  const list = new URL("../../lab/simulator/page/servers.json", import.meta.url);
  const texts = JSON.parse(readFileSync(list, "utf8")).map(({ name, lines }) => [
    name,
    lines.join("\n"),
  ]);
  texts.push(
    [
      "esm.js",
      `import { createServer } from "node:http";\n${server(`await hash(1); await read(1); ${END}`)}`,
    ],
    ["cjs.js", `const { createServer } = require("http");\n${server(`await query(1); ${END}`)}`],
    [
      "both.js",
      `const http = require("http");\nhttp.createServer((q, r) => r.end()).listen(3000);`,
    ],
  );
  const folder = mkdtempSync(join(tmpdir(), "exported-"));
  for (const [name, text] of texts) {
    const file = exported({ name, text: `${text}\n`, connections: 3 });
    // Port 3000 may be taken on this machine.
    const atAnyPort = file.text.replace(
      "listen(3000)",
      `listen(0, function () { console.log(this.address().port); })`,
    );
    writeFileSync(join(folder, file.name), atAnyPort);
    const child = spawn(node, [join(folder, file.name)], { stdio: ["ignore", "pipe", "inherit"] });
    const [port] = await once(child.stdout, "data");
    const { status } = await fetch(`http://127.0.0.1:${Number(port)}/`);
    child.kill();
    assert.equal(status, 200, name);
  }
  rmSync(folder, { recursive: true });
});

test("what Node's own requests and responses have, the light ones have or refuse", () => {
  // Asked in the engine for each name, which a real request and response of this Node have.
  const names = {
    request:
      "method url headers httpVersion socket rawHeaders trailers setTimeout destroy read pipe unpipe pause resume setEncoding isPaused complete aborted",
    response:
      "statusCode statusMessage setHeader getHeader getHeaders hasHeader removeHeader getHeaderNames writeHead write end flushHeaders writeContinue writeEarlyHints addTrailers setHeaders appendHeader cork uncork socket setTimeout headersSent writableEnded writableFinished destroyed closed destroy",
  };
  for (const [object, list] of Object.entries(names))
    for (const name of list.split(" ")) {
      const source = server(`console.log(typeof ${object}.${name}); ${END}`);
      try {
        const { printed, error } = run(source, { clients: 1, rounds: 1 });
        assert.equal(error, null);
        const isMissing = printed.lines[0] === "undefined" && name !== "statusMessage";
        assert.ok(!isMissing, `${object}.${name} is undefined`);
      } catch (error) {
        assert.ok(error instanceof NotModelledError, String(error));
        assert.match(error.message, new RegExp(`no ${object}\\.${name}`));
      }
    }
});
