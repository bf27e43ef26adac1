import { get } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

const ask = (port, i) =>
  new Promise((resolve, reject) => {
    const request = get(`http://127.0.0.1:${port}/${i}`, (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode));
    });
    request.on("error", reject);
  });

export async function openLoop(port, schedule) {
  const rows = [];
  let before = 0;
  for (const [i, at] of schedule.entries()) {
    await sleep(at - before);
    before = at;
    const sent = performance.now();
    const status = await ask(port, i);
    rows.push({ at, ms: performance.now() - sent, status });
  }
  return rows;
}
