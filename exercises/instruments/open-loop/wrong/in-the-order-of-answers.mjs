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
  const rows = [];
  return new Promise((resolve) => {
    for (const [i, at] of schedule.entries())
      setTimeout(async () => {
        const outcome = await ask(port, i);
        rows.push({ at, ms: performance.now() - begin - at, ...outcome });
        if (rows.length === schedule.length) resolve(rows);
      }, at);
  });
}
