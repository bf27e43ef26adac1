// setInterval(beat, EVERY_MS) for FOR_MS, with WORK_MS of work in each call: how many calls were there?
const { WORK_MS = "0" } = process.env;
const EVERY_MS = 50;
const FOR_MS = 2000;

let calls = 0;
const beat = () => {
  calls += 1;
  const until = performance.now() + Number(WORK_MS);
  while (performance.now() < until);
};

const begin = performance.now();
const timer = setInterval(beat, EVERY_MS);
setTimeout(() => {
  clearInterval(timer);
  const seconds = (performance.now() - begin) / 1000;
  console.log(
    JSON.stringify({ workMs: Number(WORK_MS), calls, seconds, perSecond: calls / seconds }),
  );
}, FOR_MS);
