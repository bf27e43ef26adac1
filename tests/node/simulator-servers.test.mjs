// Servers with virtual clients on the model: laws that hold whatever the server, what a handler may do, and what is refused.
// The claims of the book are compared in tests/simulator/test_virtual_servers.py.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createMachine, NotModelledError } from "../../lab/simulator/index.js";
import { natives } from "../../lab/simulator/natives.js";
import { exported } from "../../lab/simulator/page/server-export.js";
import { parts } from "../../lab/simulator/parts.mjs";
import { CAUSES, loadOf, plansOf, serve, summaryOf, waitsOf } from "../../lab/simulator/servers.js";

const PACKAGES = new URL("../../tools/nodes/26/node_modules/", import.meta.url);
const name = readdirSync(PACKAGES).find((folder) => folder.startsWith("node-"));
const node = new URL(`${name}/bin/node`, PACKAGES).pathname;
const clock = () => process.cpuUsage().user / 1000;
const LIMIT_MS = 10_000;
const machine = await createMachine(await natives(node), await parts(), {
  clock,
  limitMs: LIMIT_MS,
});
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
  // With a limit for each process, the run would take 16 limits.
  assert.ok(clock() - start < 2 * LIMIT_MS, `${clock() - start} ms`);
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
  [
    "a server that listens after the run",
    "const s = createServer(() => {}); setTimeout(() => s.listen(3000), 9000);",
    /No server listened within 2 s/,
  ],
  [
    "a server that would be made after the run",
    "query(3000).then(() => createServer(() => {}).listen(3000));",
    /No server listened within 2 s/,
  ],
  ["a handler that does not end", server("for (;;);"), /stopped after/],
  ["no program", "createServer((", /SyntaxError/],
  ["https", `require("https");`, /no TLS/],
])
  test(`${what}: one sentence`, () => refused(source, { clients: 2 }, words));

for (const [load, words] of [
  [{ clients: 0 }, /number of clients must be a whole number from 1 to 1000, and not 0/],
  [{ clients: Number.NaN }, /number of clients/],
  [{ clients: "ten" }, /and not "ten"/],
  [{ rate: -1 }, /rate must be a number/],
  [{ patience: 3 }, /A load has no patience\. Choose from seconds, .*patienceMs/],
  [{ schedule: "bursts" }, /poisson or constant/],
  [{ seconds: 1, warmSeconds: 1 }, /warm-up must be shorter/],
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

test("work that takes no time is done at once, and time goes on", () => {
  for (const [call, cause] of [
    ["query(0)", "query"],
    ["hash(0)", "thread"],
    ["read(0)", "thread"],
  ]) {
    const source = server(`await ${call}; await ${call}; busy(1); ${END}`);
    const { summary } = run(source, { clients: 12, rounds: 5, connections: 1 });
    assert.equal(summary.answered, 60, call);
    assert.equal(summary.causes[cause], 0, call);
    near(summary.causes.loop, 1);
  }
  // In front of work that takes time, and behind it, in the same line.
  const mixed = server(`await Promise.all([query(0), query(5), query(0)]); ${END}`);
  near(run(mixed, { clients: 1, rounds: 4, connections: 1 }).summary.mean, 5);
});

test("clients come when the server listens, however it came to listen", () => {
  const handler = `async (request, response) => { await query(7); ${END} }`;
  const texts = {
    "after a timer": `const s = createServer(${handler}); setTimeout(() => s.listen(3000), 500);`,
    "made after a query": `(async () => { await query(10); createServer(${handler}).listen(3000); })();`,
    "listening after work on a thread": `const s = createServer(${handler}); hash(30).then(() => s.listen(3000));`,
    "with new Server": `const http = require("http"); new http.Server(${handler}).listen(3000);`,
    "with Server": `require("http").Server(${handler}).listen(3000);`,
    "of a class of its own": `const { Server } = require("http"); class Own extends Server {} new Own(${handler}).listen(3000);`,
  };
  for (const [how, text] of Object.entries(texts))
    for (const load of [
      { clients: 4, rounds: 5, processes: 2 },
      { rate: 40, schedule: "constant", seconds: 1 },
    ]) {
      const { rows, error, endMs } = run(text, load);
      assert.equal(error, null, how);
      assert.ok(rows.length >= 20, `${how}: ${rows.length}`);
      assert.ok(rows[0].at < 1, `${how}: the first request at ${rows[0].at}`);
      for (const { wait, status } of rows)
        if (status !== null) assert.ok(wait >= 7 && wait < 8, `${how}: ${wait}`);
      assert.ok(load.rate ? Math.abs(endMs - 1000) < 1 : endMs < 40, `${how}: ${endMs} ms`);
    }
});

test("a server that listens a second time throws, as Node's does", () => {
  const { error } = run(
    `${server(END)} const s = 1;`.replace(".listen(3000)", ".listen(1).listen(1)"),
  );
  assert.match(error.report, /ERR_SERVER_ALREADY_LISTEN/);
});

test("a full backlog drops a client's connection, and one who has left meanwhile leaves no work behind", () => {
  const source = `let handled = 0;\n${server(`if (++handled === 1) busy(3000); console.log(handled); ${END}`)}`;
  const crowd = { name: "crowd", clients: 700, rounds: 1, patienceMs: 900 };
  const last = { name: "last", clients: 1, rounds: 1, startMs: 20_000 };
  const { connections, printed } = run(source, { groups: [crowd, last], seconds: 60 });
  assert.equal(connections, 701);
  // One is let in, then 511 wait at the door; the last one comes when all of that is over.
  assert.ok(printed.count > 500 && printed.count <= 513, `${printed.count} requests had a handler`);
});

test("a client whose connection is dropped asks again after one second, two more, four more", () => {
  const source = `let handled = 0;\n${server(`if (++handled === 1) busy(4000); ${END}`)}`;
  const { rows } = run(source, { clients: 600, rounds: 1, seconds: 60 });
  const late = rows.filter(({ at, wait }) => at + wait > 4500).map(({ wait }) => wait);
  assert.ok(late.length > 80, String(late.length));
  for (const wait of late) near(wait, 7000, 0.01);
});

test("a status that cannot be sent is Node's error, in whatever way it is given", () => {
  for (const body of [
    "response.writeHead(5).end();",
    "response.writeHead(1000).end();",
    "response.statusCode = 5; response.end();",
    "response.statusCode = 'ok'; response.write('x'); response.end();",
    "response.statusCode = undefined; response.flushHeaders();",
    "response.statusCode = NaN; response.end();",
  ]) {
    const { error } = run(server(body), { clients: 1, rounds: 1 });
    assert.match(error.report, /ERR_HTTP_INVALID_STATUS_CODE/, body);
  }
  for (const [body, status] of [
    ["response.statusCode = '404'; response.end();", 404],
    ["response.writeHead('503.7').end();", 503],
    ["response.writeHead(201); response.statusCode = 500; response.end();", 201],
  ])
    assert.equal(run(server(body), { clients: 1, rounds: 1 }).rows[0].status, status, body);
});

test("waits are of requests with an answer of 2xx and of those whose clients gave up, as in a record", () => {
  const row = (at, wait, status) => ({
    at,
    wait,
    status,
    ...Object.fromEntries(CAUSES.map((cause) => [cause, 0])),
  });
  const rows = [
    row(0, 10, 200),
    row(0, 20, 204),
    row(0, 500, 0),
    row(0, 1, 503),
    row(0, 2, -1),
    row(0, 3, 302),
    row(0, 900, null),
    row(900, 200, 200), // ends after the time that is looked at
  ];
  assert.deepEqual(waitsOf(rows, 0, 1000), [10, 20, 500]);
  assert.deepEqual(waitsOf(rows, 15, 1000), [20, 500]);
  const { p50, p99, answered, gaveUp, failed, ended } = summaryOf(rows, 0, 1000);
  assert.deepEqual([p50, p99, answered, gaveUp, failed, ended], [20, 500, 2, 1, 3, 6]);
});

test("an open loop's moments are drawn once, dealt out, and no more than a run can have", () => {
  const load = loadOf({ rate: 10_000, seconds: 60, processes: 16 });
  const all = plansOf(load).flatMap(({ groups: [{ times }] }) => times);
  assert.ok(all.length > 5000 && all.length <= 5016, String(all.length));
  const one = plansOf({ ...load, processes: 1 })[0].groups[0].times;
  assert.deepEqual(all.sort((a, b) => a - b).slice(0, 5001), one);
  // What the program shows of a run that is cut is as it was with all moments.
  const { cut, rows } = run(server(END), { rate: 4000, seconds: 60, processes: 3 });
  assert.equal(cut, "requests");
  assert.ok(rows.length > 4990 && rows.length <= 5000, String(rows.length));
});

test("a program that declares a name of the model's is saved so that it runs", () => {
  const work = "response.end()";
  for (const text of [
    `const a = 1, busy = () => a;\n${server(`busy(1); ${work}`)}`,
    `let hash, query;\n${server(`hash?.(1); query?.(1); ${work}`)}`,
    `const { read, busy: work } = { read() {}, busy() {} };\n${server(`read(); work(); ${work}`)}`,
    `function query() {}\nclass hash {}\n${server(`query(); ${work}`)}`,
    `for (const busy of [1]) if (busy);\n${server(`const { query } = {}; busy(1); ${work}`)}`,
    `// const busy = 1\nconst compute = busy;\n${server(`compute(1); ${work}`)}`,
    `import http, { createServer } from "node:http";\nimport * as read from "node:fs";\n${server(work)}`,
  ]) {
    const file = exported({ name: "own.js", text, connections: 3 });
    const folder = mkdtempSync(join(tmpdir(), "declared-"));
    const port =
      "listen(0, function () { const { port } = this.address(); fetch('http://127.0.0.1:' + port).then(({ status }) => { console.log(status); process.exit(); }); })";
    writeFileSync(join(folder, file.name), file.text.replace("listen(3000)", port));
    const { stdout, stderr } = spawnSync(node, [join(folder, file.name)], { encoding: "utf8" });
    assert.equal(stdout.trim(), "200", `${text}\n${stderr}`);
    rmSync(folder, { recursive: true });
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
