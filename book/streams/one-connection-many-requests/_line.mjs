// Runs _far.mjs against _both.mjs: on the loopback, or with a line of ours between them.
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { served } from "./_asking.mjs";

const WIRE = fileURLToPath(new URL("./wire.py", import.meta.url));
const SERVER = fileURLToPath(new URL("./_both.mjs", import.meta.url));
const CLIENT = fileURLToPath(new URL("./_far.mjs", import.meta.url));

/** The rows that _far.mjs prints; delayMs is that of one way, and 0 is the loopback. */
export const fromFar = async (load, { delayMs = 0, lossPercent = 0, seed = 1 } = {}) => {
  const env = { ...process.env, ...load, NODE: process.execPath };
  const server = delayMs ? null : await served();
  const command = server
    ? [process.execPath, CLIENT, "127.0.0.1", server.one, server.two]
    : ["python3", "-S", WIRE, delayMs, lossPercent, seed, SERVER, CLIENT];
  const [program, ...words] = command.map(String);
  // The line ends with its standard input, the client alone with its channel: both end with this process.
  const stdio = server ? ["ignore", "pipe", "inherit", "ipc"] : ["pipe", "pipe", "inherit"];
  const client = spawn(program, words, { env, stdio });
  const lines = (await text(client.stdout)).trim();
  await server?.stop();
  if (!lines) throw new Error(`${program} printed nothing: see above`);
  return lines.split("\n").map((line) => JSON.parse(line));
};
