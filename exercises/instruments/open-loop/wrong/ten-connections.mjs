import { Agent, get } from "node:http";

const agent = new Agent({ keepAlive: true, maxSockets: 10 });
const ask = (port, i) =>
  new Promise((resolve) => {
    const fail = (error) => resolve({ error: error.code });
    const request = get(`http://127.0.0.1:${port}/${i}`, { agent }, (response) => {
      response.on("error", fail);
      response.on("end", () => resolve({ status: response.statusCode }));
      response.resume();
    });
    request.on("error", fail);
  });

export function openLoop(port, schedule) {
  const begin = performance.now();
  const row = (at, i) =>
    new Promise((resolve) => {
      setTimeout(async () => {
        const outcome = await ask(port, i);
        resolve({ at, ms: performance.now() - begin - at, ...outcome });
      }, at);
    });
  return Promise.all(schedule.map(row));
}
