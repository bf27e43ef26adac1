// reloads.mjs TIMES: the module of a server changes that many times while 20 clients ask without a pause. How many requests are
// lost, for how long is nobody there, and does the server still know how many it has answered?
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort, median, print } from "../shared/asking.mjs";
import { scale } from "../shared/watching.mjs";

const times = Math.ceil(Number(process.argv[2]) * scale);
const PATIENCE_MS = 10_000;
const ways = {
  "node --watch": { options: ["--watch"], HOW: "end" },
  "node --watch, drained": { options: ["--watch"], HOW: "drain" },
  "imported again": { options: [], HOW: "import" },
};

/** Asks over one connection, again and again, and opens a new one, again and again, when it has ended. */
function client(port, seen) {
  const socket = connect(port, "127.0.0.1");
  let [text, under_way] = ["", false];
  const ask = () => {
    under_way = true;
    socket.write("GET / HTTP/1.1\r\nhost: me\r\n\r\n");
  };
  socket.on("connect", () => {
    seen.there();
    ask();
  });
  socket.setEncoding("utf8").on("data", (part) => {
    text += part;
    const [, greeting, answers] = /\r\n\r\n(\w+) (\d+)\n$/.exec(text) ?? [];
    if (!greeting) return;
    under_way = false;
    seen.answered(greeting, Number(answers));
    const last = /^connection: close/im.test(text);
    text = "";
    if (last) socket.end();
    else ask();
  });
  socket.on("error", (error) => {
    if (error.code === "ECONNREFUSED") seen.refused();
  });
  socket.on("close", () => {
    if (under_way) seen.lost += 1;
    if (!seen.over) setTimeout(client, 2, port, seen);
  });
  seen.sockets.add(socket);
  socket.on("close", () => seen.sockets.delete(socket));
}

/** What the clients saw since the last change. */
const witness = () => ({
  over: false,
  sockets: new Set(),
  begin() {
    Object.assign(this, { lost: 0, away_ms: 0, since: 0, count: 0, greetings: new Map() });
  },
  there() {
    if (this.since) this.away_ms += performance.now() - this.since;
    this.since = 0;
  },
  refused() {
    this.since ||= performance.now();
  },
  answered(greeting, count) {
    this.greetings.set(greeting, (this.greetings.get(greeting) ?? 0) + 1);
    this.count = count;
  },
});

async function reloads(how, { options, HOW }) {
  const folder = mkdtempSync(join(tmpdir(), "reload-"));
  const module = join(folder, "greeting.mjs");
  const say = (greeting) => writeFileSync(module, `export const greeting = "${greeting}";\n`);
  say("hello0");
  const program = join(folder, "greets.mjs");
  copyFileSync(fileURLToPath(new URL("./_greets.mjs", import.meta.url)), program);
  const port = await freePort();
  const env = { ...process.env, HOW, PORT: port };
  const server = spawn(process.execPath, [...options, program], { env, stdio: "ignore" });
  const seen = witness();
  const went = { lost: 0, forgot: 0, away: [] };
  const until = async (greeting) => {
    const end = performance.now() + PATIENCE_MS;
    while (!(seen.greetings.get(greeting) >= 100)) {
      if (performance.now() > end) throw new Error(`${how}: nobody says ${greeting}`);
      await pause(5);
    }
  };
  try {
    seen.begin();
    for (let i = 0; i < 20; i += 1) client(port, seen);
    await until("hello0");
    for (let i = 1; i <= times; i += 1) {
      await pause(300); // the watcher is awake again
      const before = seen.count;
      seen.begin();
      say(`hello${i}`);
      await until(`hello${i}`);
      if (seen.count <= before) went.forgot += 1;
      went.lost += seen.lost;
      went.away.push(seen.away_ms);
    }
  } finally {
    seen.over = true;
    for (const socket of seen.sockets) socket.destroy();
    server.kill();
    await once(server, "exit");
    rmSync(folder, { recursive: true });
  }
  print({
    how,
    "lost, each time": went.lost / times,
    "no connection taken for (ms), median": Math.round(median(went.away)),
    "count begins again": `${went.forgot} of ${times}`,
  });
}

for (const [how, way] of Object.entries(ways)) await reloads(how, way);
