// Every request is accounted for, whatever the server does.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { assertAccounted, generate, load, OK, OK_CLOSE, oneOf, serve } from "./support.mjs";

const close = (socket) => socket.end(OK_CLOSE);
const respond = (socket) => socket.write(OK);
const FRAMINGS = {
  "Content-Length": (body) => `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  chunked: (body) => {
    const chunk = body.length === 0 ? "" : `${body.length.toString(16)}\r\n${body}\r\n`;
    return `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}0\r\n\r\n`;
  },
};

test("a closed loop sends exactly what the server receives, and N are in flight at the end", async (t) => {
  const server = await serve((socket) => setTimeout(respond, 2, socket), t);
  const { event, rows, main } = await load(server.url, { connections: 7 });
  assertAccounted(assert, main, rows.main);
  assert.equal(event.stopped, "time");
  assert.equal(main.counts.sent, server.requests);
  assert.equal(main.counts.in_flight_at_end, 7);
  assert.equal(server.connections, 7);
  assert.equal(main.bytes_in, main.counts.ok * OK.length);
  assert.deepEqual([...new Set(rows.main.connection)].sort(), [0, 1, 2, 3, 4, 5, 6]);
});

test("a fixed count is sent exactly, shared by the connections", async (t) => {
  const server = await serve(respond, t);
  const { event, rows, main } = await load(server.url, { connections: 8, requests: 101 });
  assertAccounted(assert, main, rows.main);
  assert.equal(event.stopped, "count");
  assert.equal(main.counts.ok, 101);
  assert.equal(server.requests, 101);
});

test("a fixed count per connection gives each the same number, closing connections included", async (t) => {
  const server = await serve(close, t);
  const { rows, main } = await load(server.url, {
    connections: 4,
    requests: 9,
    per_connection: true,
  });
  assertAccounted(assert, main, rows.main);
  for (const connection of [0, 1, 2, 3]) {
    assert.equal(rows.main.connection.filter((index) => index === connection).length, 9);
  }
  assert.equal(main.counts.reconnects, 4 * 8);
});

test("fewer requests than connections open only as many connections", async (t) => {
  const server = await serve(respond, t);
  const { main } = await load(server.url, { connections: 50, requests: 3 });
  assert.equal(main.counts.ok, 3);
  assert.ok(server.connections <= 3);
});

test("without keep-alive every request has a fresh connection and says how long connecting took", async (t) => {
  const server = await serve((socket) => socket.end(OK_CLOSE), t);
  const { rows, main } = await load(server.url, {
    connections: 2,
    keep_alive: false,
    requests: 20,
  });
  assertAccounted(assert, main, rows.main);
  assert.equal(server.connections, 20);
  assert.ok(rows.main.connect_us.every((us, row) => us > 0 && us <= rows.main.latency_us[row]));

  const listening = await serve((socket) => socket.write(OK), t);
  await load(listening.url, { connections: 1, keep_alive: false, requests: 3 });
  assert.equal(listening.connections, 3, "even if the server would keep the connection");
});

test("a request slower than the run is a row with its age, not lost", async (t) => {
  const server = await serve((socket) => setTimeout(respond, 3000, socket), t);
  const { event, rows, main } = await load(
    server.url,
    { connections: 5 },
    { warmup_s: 0, measure_s: 1 },
  );
  assertAccounted(assert, main, rows.main);
  assert.equal(main.counts.in_flight_at_end, 5);
  assert.deepEqual(rows.main.status, [-1, -1, -1, -1, -1]);
  assert.ok(
    rows.main.latency_us.every((age) => age > 900_000 && age <= event.window_us[1] + 100_000),
  );
});

test("a dead port ends the trial at once, without a retry storm", async (t) => {
  const server = await serve(respond);
  await server.close();
  const started = performance.now();
  const { event, code, rows, main } = await load(
    server.url,
    { connections: 10 },
    { measure_s: 120 },
  );
  assert.equal(code, 0);
  assert.equal(event.stopped, "server-gone");
  assertAccounted(assert, main, rows.main);
  assert.ok(main.counts.errors.ECONNREFUSED >= 1);
  assert.ok(main.counts.sent <= 10);
  assert.equal(main.counts.ok, 0);
  assert.ok(performance.now() - started < 30_000);
  t.diagnostic(JSON.stringify(main.counts));
});

test("a server that dies during the run ends the trial, and its last requests are rows", async () => {
  const server = await serve((socket, n) => {
    if (n < 500) setTimeout(respond, 1, socket);
    else if (n === 500) server.close();
  });
  const { event, rows, main } = await load(server.url, { connections: 10 }, { measure_s: 120 });
  assert.equal(event.stopped, "server-gone");
  assertAccounted(assert, main, rows.main);
  assert.ok(main.counts.ok >= 480 && main.counts.ok < 500);
});

test("a timeout is a row, and a new connection takes the place of the stuck one", async (t) => {
  await oneOf(8, t, async () => {
    const server = await serve((socket, n) => {
      if (n % 10 !== 0) respond(socket);
    }, t);
    const { rows, main } = await load(server.url, { connections: 2, timeout_s: 0.05 });
    assertAccounted(assert, main, rows.main);
    assert.ok(main.counts.timeouts >= 4, `${main.counts.timeouts} timeouts`);
    assert.ok(main.counts.ok > 4 * main.counts.timeouts);
    assert.equal(main.counts.reconnects, server.connections - 2);
    const ages = rows.main.latency_us.filter((_, row) => rows.main.status[row] === -2);
    assert.ok(
      ages.every((age) => age >= 50_000 && age < 100_000),
      `${ages}`,
    );
  });
});

test("other statuses are counted by code and are not ok", async (t) => {
  const error = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 2\r\n\r\nno";
  const server = await serve((socket, n) => socket.write(n % 2 ? OK : error), t);
  const { rows, main } = await load(server.url, { connections: 1, requests: 100 });
  assertAccounted(assert, main, rows.main);
  assert.deepEqual(main.counts.non2xx, { 503: 50 });
  assert.equal(main.counts.ok, 50);
});

test("a server that closes without announcing it costs the request that was on its way", async (t) => {
  const server = await serve((socket) => {
    if (socket.requests % 5 === 0) socket.end(OK);
    else respond(socket);
  }, t);
  const { rows, main } = await load(server.url, { connections: 3 });
  assertAccounted(assert, main, rows.main);
  assert.ok(main.counts.ok > 20);
  assert.deepEqual(Object.keys(main.counts.errors).sort(), ["CLOSED_REUSED"]);
  const { CLOSED_REUSED } = main.counts.errors;
  assert.ok(CLOSED_REUSED > 0 && CLOSED_REUSED <= main.counts.ok / 5 + 3);
});

test("a reset is a reset", async (t) => {
  const server = await serve((socket) => socket.resetAndDestroy(), t);
  const { rows, main } = await load(server.url, { connections: 3 });
  assertAccounted(assert, main, rows.main);
  assert.deepEqual(Object.keys(main.counts.errors), ["ECONNRESET"]);
  // Repeated failures pause 4, 8, ... 128 ms: some ten attempts per connection, not thousands.
  assert.ok(main.counts.sent <= 3 * 20, `${main.counts.sent} attempts`);
});

test("a body cut off by the end of the connection is closed early", async (t) => {
  const server = await serve(
    (socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello"),
    t,
  );
  const { rows, main } = await load(server.url, { connections: 1, requests: 3 });
  assertAccounted(assert, main, rows.main);
  assert.deepEqual(main.counts.errors, { CLOSED_EARLY: 3 });
});

test("HTTP/1.0 without keep-alive and close-delimited bodies are complete when the server closes", async (t) => {
  const server = await serve((socket) => socket.end("HTTP/1.0 200 OK\r\n\r\nhello"), t);
  const { rows, main } = await load(server.url, {
    connections: 2,
    requests: 10,
    expect: { status: 200, bytes: 5, sha256: sha256("hello") },
  });
  assertAccounted(assert, main, rows.main);
  assert.equal(main.counts.ok, 10);
  assert.equal(server.connections, 10);
});

test("malformed responses are errors with a name", async (t) => {
  const server = await serve(
    (socket, n) => socket.write(n % 2 ? "HTTP/1.1 200 OK\n\nhello" : `${OK}more`),
    t,
  );
  const { rows, main } = await load(server.url, { connections: 1, requests: 4 });
  assertAccounted(assert, main, rows.main);
  assert.deepEqual(main.counts.errors, { BARE_LF: 2, EXTRA_DATA: 2 });
});

test("an answer to nothing costs the connection, not a request", (t) =>
  oneOf(8, t, async () => {
    const server = await serve((socket) => {
      socket.write(OK);
      setTimeout(() => socket.write(OK), 5);
    }, t);
    const open = { loop: "open", schedule: "constant", rate_per_s: 50, connections: 1 };
    const { rows, main } = await load(server.url, open);
    assertAccounted(assert, main, rows.main);
    assert.equal(main.counts.ok, main.counts.sent);
    assert.equal(main.counts.reconnects, server.connections - 1);
    assert.ok(server.connections > 10);
  }));

for (const [framing, wrap] of Object.entries(FRAMINGS)) {
  for (const size of [5, 5_000, 300_000]) {
    test(`one wrong byte in ${size} (${framing}) is a wrong body, in any response`, async (t) => {
      const body = "x".repeat(size);
      const wrong = `${body.slice(0, -2)}yx`;
      const server = await serve((socket, n) => socket.write(wrap(n % 7 === 0 ? wrong : body)), t);
      const expect = { status: 200, bytes: size, sha256: sha256(body) };
      const { rows, main } = await load(server.url, { connections: 3, requests: 70, expect });
      assertAccounted(assert, main, rows.main);
      assert.deepEqual(main.counts.errors, { WRONG_BODY: 10 });
      assert.equal(main.counts.ok, 60);
    });
  }
}

for (const [framing, wrap] of Object.entries(FRAMINGS)) {
  for (const size of [0, 5, 5_000, 300_000]) {
    test(`bodies of ${size} (${framing}) that nobody promised are compared with the first`, async (t) => {
      const body = "x".repeat(size);
      const others = [`${body}y`, size === 0 ? "z" : `${body.slice(0, -1)}y`];
      let bodies = () => body;
      const server = await serve((socket, n) => socket.write(wrap(bodies(n))), t);
      const same = await load(server.url, { connections: 3, requests: 70 });
      const first = { bytes: size, sha256: sha256(body) };
      assert.deepEqual(same.main.bodies, { first, differing: 0, by_length: 0 });
      server.requests = 0;
      bodies = (n) => (n > 3 && n % 7 < 2 ? others[n % 7] : body);
      const { main, rows } = await load(server.url, { connections: 3, requests: 70 });
      assertAccounted(assert, main, rows.main);
      assert.equal(main.counts.ok, 70, "they are no errors");
      assert.deepEqual(main.bodies, { first, differing: 19, by_length: 0 });
    });
  }
}

test("of bodies too large to be kept the length is compared always", async (t) => {
  const bytes = 5_000_000;
  const server = await serve((socket, n) => {
    const size = bytes + (n % 5 === 0 ? 1 : 0);
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\n\r\n${"x".repeat(size)}`);
  }, t);
  const { main } = await load(server.url, { connections: 2, requests: 10 });
  assert.equal(main.bodies.first.bytes, bytes);
  assert.equal(main.bodies.differing, 2);
  assert.ok(main.bodies.by_length >= 6 && main.bodies.by_length <= 7, "one a connection is hashed");
});

test("of bodies that are never the same, each connection hashes one", async (t) => {
  const piece = "x".repeat(100_000);
  const server = await serve((socket, n) => {
    const body = `${String(n).padStart(6)}${piece}`;
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  }, t);
  const { main } = await load(server.url, { connections: 4, requests: 40 });
  assert.equal(main.bodies.first.bytes, 100_006);
  assert.ok(main.bodies.differing >= 3);
  assert.equal(main.bodies.differing + main.bodies.by_length, 39);
});

test("a wrong length or an unexpected success is not ok", async (t) => {
  const server = await serve((socket, n) => {
    socket.write(n % 2 ? OK : "HTTP/1.1 204 No Content\r\n\r\n");
  }, t);
  const short = await load(server.url, { connections: 1, requests: 4, expect: { bytes: 6 } });
  assert.deepEqual(short.main.counts.errors, { WRONG_BODY: 4 });
  const { main, rows } = await load(server.url, {
    connections: 1,
    requests: 4,
    expect: { status: 200, bytes: 5 },
  });
  assertAccounted(assert, main, rows.main);
  assert.deepEqual(main.counts.errors, { WRONG_STATUS_204: 2 });
});

test("HEAD answers have no body whatever their length field says", async (t) => {
  const server = await serve(
    (socket) => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"),
    t,
  );
  const expect = { status: 200, bytes: 5, sha256: sha256("hello") };
  const { main, rows } = await load(server.url, {
    connections: 2,
    method: "HEAD",
    requests: 10,
    expect,
  });
  assertAccounted(assert, main, rows.main);
  assert.equal(main.counts.ok, 10);
});

test("streams run side by side and keep their own account", async (t) => {
  const server = await serve((socket) => setTimeout(respond, 2, socket), t);
  const { rows, event } = await generate({
    streams: [
      { name: "main", url: server.url, connections: 5 },
      {
        name: "ping",
        url: server.url,
        loop: "open",
        rate_per_s: 100,
        schedule: "constant",
        connections: 3,
      },
    ],
    warmup_s: 0.1,
    measure_s: 0.4,
  });
  for (const stream of event.streams) assertAccounted(assert, stream, rows[stream.name]);
  const [main, ping] = event.streams;
  assert.equal(ping.counts.sent + ping.counts.dropped, 50);
  assert.equal(main.counts.sent + ping.counts.sent, server.requests);
});

test("1,000 connections are opened without one waiting for a repeated SYN", (t) =>
  oneOf(8, t, async () => {
    const server = await serve((socket) => setTimeout(respond, 20, socket), t);
    const { rows, main } = await load(server.url, { connections: 1000 }, { warmup_s: 3 });
    assertAccounted(assert, main, rows.main);
    assert.equal(server.connections, 1000);
    assert.equal(main.counts.in_flight_at_end, 1000);
    assert.ok(
      rows.main.connect_us.every((us) => us < 900_000),
      "a repeated SYN takes 1 s",
    );
  }));

function sha256(text) {
  return createHash("sha256").update(text).digest("hex");
}
