// Waves of five requests, each on a connection of its own, as ab sends them. Six new servers, each asked by two
// client processes, one after the other: only the first meets a new server. Rows: server, client, wave, ms.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { Agent, get } from "node:http";
import { fileURLToPath } from "node:url";

const SERVERS = 6;
const WAVES = 40;
const AT_ONCE = 5;

const ask = (url) => {
  const began = performance.now();
  return new Promise((done, failed) => {
    get(url, { agent: new Agent() }, (response) => {
      response.resume().on("end", () => done(performance.now() - began));
    }).on("error", failed);
  });
};

const measure = async (url, server, client) => {
  for (let wave = 1; wave <= WAVES; wave++) {
    const times = await Promise.all(Array.from({ length: AT_ONCE }, () => ask(url)));
    const ms = Math.round(100 * Math.max(...times)) / 100;
    console.log(JSON.stringify({ server: Number(server), client, wave, ms }));
  }
};

const meet = async (number) => {
  const program = new URL("../../../servers/node/express-json.mjs", import.meta.url);
  const leave = fileURLToPath(
    new URL("../../blocking/four-hidden-threads/_leave.cjs", import.meta.url),
  );
  const server = spawn(process.execPath, ["-r", leave, fileURLToPath(program)], {
    cwd: fileURLToPath(new URL("../../..", import.meta.url)),
    env: { ...process.env, FILE: "data/foo.json", HEADERS: "published", PORT: "0" },
    stdio: ["pipe", "pipe", "inherit"], // its standard input ends when we do
  });
  try {
    const [said] = await once(server.stdout, "data");
    const [where] = String(said).match(/http:\S+/);
    for (const name of ["new server", "warm server"]) {
      const self = fileURLToPath(import.meta.url);
      const asking = spawn(process.execPath, [self, where, number, name], { stdio: "inherit" });
      await once(asking, "exit");
    }
  } finally {
    server.kill();
  }
};

const [url, ...whose] = process.argv.slice(2);
if (url) await measure(url, ...whose);
else for (let number = 1; number <= SERVERS; number++) await meet(number);
