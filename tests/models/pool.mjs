// Calls before a gate of named pipes: which are answered and which wait, for several sizes of the pool.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import dns from "node:dns";
import { once } from "node:events";
import fs from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { modelOf, say, until } from "./_model.mjs";

const PIPES = 12;

/** In a process of its own: one move after another, each told when what the model expects is there. */
async function alone(folder, plan) {
  const server = http.createServer((_, response) => response.end()).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  const done = [];
  const made = {};
  const opened = [];
  const calls = {
    pipe: (n, then) => {
      opened.push(join(folder, String(n)));
      fs.open(opened.at(-1), then);
    },
    stat: (_, then) => fs.stat("/", then),
    lookup: (_, then) => dns.lookup("localhost", then),
    randomBytes: (_, then) => randomBytes(8, then),
    timer: (_, then) => setTimeout(then, 1),
    get: (_, then) =>
      http.get({ host: "127.0.0.1", port, agent: false }, (r) => r.resume().on("end", then)),
    statSync: (_, then) => then(void fs.statSync("/")),
  };
  const names = { random: "randomBytes", sync: "statSync" };
  const holds = [];
  for (const { move, expected } of plan) {
    if (move === "open") {
      for (const pipe of opened.splice(0)) holds.push(fs.openSync(pipe, "r+"));
    } else {
      const name = names[move] ?? move;
      made[name] = (made[name] ?? 0) + 1;
      const call = `${name} ${made[name]}`;
      calls[name](made[name], (error) => {
        if (error) throw error;
        done.push(call);
      });
    }
    await until(() => done.length >= expected.length, `${expected} after ${move}: ${done}`);
    // What needs no thread goes on meanwhile, and what waits has had its chance.
    for (let i = 0; i < 3; i += 1) await new Promise((resolve) => setTimeout(resolve, 3));
    process.stdout.write(`${JSON.stringify([...done].sort())}\n`);
  }
  process.kill(process.pid, "SIGKILL"); // threads behind a gate are held for ever
}

if (process.argv[2]) await alone(process.argv[2], JSON.parse(process.argv[3]));
else {
  const model = await modelOf("pool");
  const { play } = globalThis.LabModel;
  const ids = model.moves().map(({ id }) => id);
  const plans = [1, 2, 4, 5].flatMap((threads) => [
    { threads, moves: model.demo },
    ...["a", "b", "c"].map((seed) => ({ threads, moves: random(ids, `${seed}${threads}`, 14) })),
  ]);
  let cases = 0;
  for (const { threads, moves } of plans) {
    const allowed = [];
    const plan = [];
    for (const move of moves) {
      const { state, told } = play(model, [...allowed, move], { threads });
      if (told.at(-1).refused) continue;
      allowed.push(move);
      plan.push({ move, expected: [...state.done].sort() });
    }
    const folder = fs.mkdtempSync(join(tmpdir(), "model-pool-"));
    execFileSync(
      "mkfifo",
      Array.from({ length: PIPES + 3 }, (_, i) => join(folder, String(i))),
    );
    const child = spawn(process.execPath, [process.argv[1], folder, JSON.stringify(plan)], {
      env: { ...process.env, UV_THREADPOOL_SIZE: String(threads) },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const seen = [];
    for await (const line of createInterface(child.stdout)) seen.push(JSON.parse(line));
    fs.rmSync(folder, { recursive: true });
    assert.equal(seen.length, plan.length, `threads ${threads}: ${moves}`);
    plan.forEach(({ move, expected }, i) => {
      assert.deepEqual(
        seen[i],
        expected,
        `${threads} threads, ${move} after ${allowed.slice(0, i)}`,
      );
      cases += 1;
    });
  }
  say(cases);
}

/** The same moves on every Node. */
function random(ids, seed, length) {
  const digest = createHash("sha256").update(seed).digest();
  return Array.from({ length }, (_, i) =>
    digest[i] % 3 === 0 ? "pipe" : ids[digest[i] % ids.length],
  );
}
