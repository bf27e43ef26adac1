// The file drop of step 12: a listener that goes on at another process gets no event twice, even if that process is behind.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const SOLUTION = fileURLToPath(
  new URL("../../exercises/cases/drop-12/solution.mjs", import.meta.url),
);
const NEVER = "9"; // a number that no event has

// Loaded before the drop: the second process hears nothing of the first one between two signals.
const BEHIND = `
  import cluster from "node:cluster";
  if (cluster.worker?.id === 2) {
    const emit = process.emit;
    let held;
    process.emit = function (name, ...given) {
      if (name !== "message" || !held) return emit.call(this, name, ...given);
      return Boolean(held.push(given));
    };
    console.log("behind", process.pid);
    process.on("SIGUSR2", () => {
      const messages = held;
      held = held ? undefined : [];
      for (const given of messages ?? []) emit.call(process, "message", ...given);
      console.log(held ? "holds" : "goes on");
    });
  }`;

/** Resolves to what the drop prints that matches; rejects if the drop ends before. */
function printed(drop, pattern) {
  return new Promise((resolve, reject) => {
    const settle = (settled, value) => {
      drop.stdout.off("data", look);
      drop.off("exit", miss);
      settled(value);
    };
    const look = () => {
      const found = pattern.exec(drop.text);
      if (found) settle(resolve, found);
    };
    const miss = () =>
      settle(reject, new Error(`the drop ended before it printed ${pattern}: ${drop.text}`));
    drop.stdout.on("data", look);
    drop.once("exit", miss);
    look();
    if (drop.exitCode !== null || drop.signalCode) miss();
  });
}

async function started(t) {
  const folder = await mkdtemp(join(tmpdir(), "drop-"));
  const preload = `data:text/javascript,${encodeURIComponent(BEHIND)}`;
  const drop = spawn(process.execPath, ["--import", preload, SOLUTION], {
    env: { ...process.env, FOLDER: folder, PORT: "0", WORKERS: "2", GRACE: "1000", IDLE: "10" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(drop, "exit");
  t.after(async () => {
    drop.kill("SIGTERM");
    const kill = setTimeout(() => drop.kill("SIGKILL"), 10_000); // the others end with it
    await ended;
    clearTimeout(kill);
    await rm(folder, { recursive: true });
  });
  drop.text = "";
  drop.stdout.setEncoding("utf8").on("data", (text) => {
    drop.text += text;
  });
  const [, port] = await printed(drop, /listening on http:\/\/127\.0\.0\.1:(\d+)/);
  const [, behind] = await printed(drop, /behind (\d+)/);
  return { drop, port: Number(port), behind: Number(behind) };
}

/** A connection that is kept: the drop gives each new one to the next of its processes. */
class Connection {
  #agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  constructor(t, port) {
    this.port = port;
    t.after(() => this.#agent.destroy());
  }
  async ask(path, options = {}) {
    const { body, ...others } = options;
    const request = http.request({ port: this.port, path, agent: this.#agent, ...others });
    request.end(body);
    const [response] = await once(request, "response");
    return response;
  }
  async ping() {
    const response = await this.ask("/ping");
    response.resume();
    await once(response, "end");
  }
  /** The number of the first event that a listener gets, once it comes. */
  async firstEvent(headers = {}) {
    const response = await this.ask("/events", { headers });
    let text = "";
    for await (const chunk of response.setEncoding("utf8")) {
      text += chunk;
      if (text.includes("\n\n")) return /^id: (\d+)/.exec(text)[1];
    }
    throw new Error("the response to a listener has ended");
  }
}

test("a listener that goes on at a process which is behind gets no event twice", {
  timeout: 120_000,
}, async (t) => {
  const { drop, port, behind } = await started(t);
  const connections = Array.from({ length: 12 }, () => new Connection(t, port));
  for (const connection of connections) await connection.ping();
  const [first, second, third, fourth, ...kept] = connections; // of both processes, in turn
  const heard = [first.firstEvent(), second.firstEvent()];
  for (const connection of [third, fourth]) await connection.ping();
  process.kill(behind, "SIGUSR2");
  await printed(drop, /holds/);
  const put = (connection, name) =>
    connection.ask(`/files/${name}`, { method: "PUT", body: "some" });
  put(third, "a.txt").catch(() => {}); // which is not answered before the process goes on, if it is that one
  assert.equal(await Promise.race(heard), "1");
  // Now one process has sent event 1, and the other one has not heard of it.
  const numbers = kept.map((connection, at) =>
    connection.firstEvent({ "last-event-id": at < 6 ? "1" : NEVER }),
  );
  const latecomers = [new Connection(t, port), new Connection(t, port)];
  for (const connection of latecomers) await connection.ping();
  process.kill(behind, "SIGUSR2");
  await printed(drop, /goes on/);
  await put(latecomers[0], "b.txt");
  assert.deepEqual(
    await Promise.all(numbers),
    kept.map(() => "2"),
  );
});
