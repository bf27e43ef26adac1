const { EventEmitter, on } = require("node:events");
const { setTimeout: sleep } = require("node:timers/promises");

const sensor = new EventEmitter();
const readings = on(sensor, "reading");

let reading = 0;
setImmediate(function measure() {
  reading += 1;
  console.log(`reading ${reading}`);
  sensor.emit("reading", reading);
  if (reading < 3) setImmediate(measure);
});

(async () => {
  for await (const [value] of readings) {
    console.log(`the loop has ${value}`);
    if (value === 3) break;
    await sleep(30);
  }
  console.log(`${sensor.listenerCount("reading")} listeners`);
})();
