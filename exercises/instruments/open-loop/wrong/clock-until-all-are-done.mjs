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
  const outcomes = await Promise.all(
    schedule.map(async (at, i) => {
      await new Promise((resolve) => setTimeout(resolve, at));
      return ask(port, i);
    }),
  );
  return outcomes.map((outcome, i) => {
    const ms = performance.now() - begin - schedule[i];
    return { at: schedule[i], ms, ...outcome };
  });
}
