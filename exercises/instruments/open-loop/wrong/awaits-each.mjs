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

export async function openLoop(port, schedule) {
  const begin = performance.now();
  const rows = [];
  for (const [i, at] of schedule.entries()) {
    const left = begin + at - performance.now();
    if (left > 0) await new Promise((resolve) => setTimeout(resolve, left));
    const outcome = await ask(port, i);
    rows.push({ at, ms: performance.now() - begin - at, ...outcome });
  }
  return rows;
}
