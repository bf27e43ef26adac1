// Who serves 16 clients that keep their connections? Three requests on each; prints a line per process.
// The server at SERVER_URL says in the header x-process which of its processes answers.
import { Agent, get } from "node:http";

const CLIENTS = 16;
const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
const connections = new Map();

const ask = () =>
  new Promise((resolve, reject) => {
    const request = get(process.env.SERVER_URL, { agent }, (answer) => {
      const worker = answer.headers["x-process"];
      if (!connections.has(worker)) connections.set(worker, new Set());
      connections.get(worker).add(answer.socket.localPort);
      answer.resume().on("end", resolve);
    });
    request.on("error", reject);
  });

for (let round = 0; round < 3; round++) {
  await Promise.all(Array.from({ length: CLIENTS }, ask));
}
agent.destroy();
for (const [worker, ports] of connections) {
  console.log(JSON.stringify({ process: Number(worker), connections: ports.size }));
}
