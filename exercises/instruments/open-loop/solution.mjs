import { get } from "node:http";

const ask = (port, i) =>
  new Promise((resolve) => {
    const fail = (error) => resolve({ error: error.code });
    const request = get(`http://127.0.0.1:${port}/${i}`, (response) => {
      response.on("error", fail);
      response.on("end", () => resolve({ status: response.statusCode }));
      response.resume();
    });
    request.on("error", fail);
  });

export function openLoop(port, schedule) {
  const begin = performance.now();
  // Every timer is set now, so neither a response nor another timer can delay it.
  const row = (at, i) =>
    new Promise((resolve) => {
      setTimeout(async () => {
        const outcome = await ask(port, i);
        resolve({ at, ms: performance.now() - begin - at, ...outcome });
      }, at);
    });
  return Promise.all(schedule.map(row));
}
