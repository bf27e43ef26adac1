import { get } from "node:http";

const ask = (port, i) =>
  new Promise((resolve, reject) => {
    const request = get(`http://127.0.0.1:${port}/${i}`, (response) => {
      response.on("end", () => resolve(response.statusCode));
      response.resume();
    });
    request.on("error", reject);
  });

export function openLoop(port, schedule) {
  const begin = performance.now();
  const row = (at, i) =>
    new Promise((resolve, reject) => {
      setTimeout(() => {
        ask(port, i).then(
          (status) => resolve({ at, ms: performance.now() - begin - at, status }),
          reject,
        );
      }, at);
    });
  return Promise.all(schedule.map(row));
}
