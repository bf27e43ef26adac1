// Starts node/garbage with flags of Node, asks it so many times on eight connections, and says what was collected meanwhile.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { Agent, get } from "node:http";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { median } from "../../streams/shared/asking.mjs";

const SERVER = fileURLToPath(new URL("../../../servers/node/garbage.mjs", import.meta.url));

const fetched = (address, path, agent) =>
  new Promise((resolve, reject) => {
    const request = get(`${address}${path}`, { agent }, (response) =>
      text(response).then(resolve, reject),
    );
    request.on("error", reject);
  });

export const collected = async ({ flags = [], env = {}, requests = 2000 }) => {
  const given = { ...process.env, ...env, PORT: "0" };
  const server = spawn(process.execPath, [...flags, SERVER], {
    env: given,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const agent = new Agent({ keepAlive: true });
  try {
    const [line] = await once(server.stdout, "data");
    const address = String(line).trim().split(" ").at(-1);
    const ask = (path) => fetched(address, path, agent);
    const clients = async (count) => {
      const client = async () => {
        while (count-- > 0) await ask("/");
      };
      await Promise.all(Array.from({ length: 8 }, client));
    };
    await clients(requests / 4); // warm
    const before = JSON.parse(await ask("/gc"));
    await clients(requests);
    const after = JSON.parse(await ask("/gc"));
    const scavenges = after.scavenges.slice(before.scavenges.length);
    return {
      scavenges: scavenges.length,
      scavengeMs: median(scavenges),
      full: after.full - before.full,
      longestMs: after.longestMs,
      share: (after.allMs - before.allMs) / (after.at - before.at),
    };
  } finally {
    agent.destroy();
    server.kill();
    await once(server, "exit");
  }
};
