// A source, a transform that changes nothing, and a sink that takes 5 ms for each chunk.
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

let number = 0;
const source = new ReadableStream({
  pull(controller) {
    number += 1;
    console.log(`${number} is made`);
    controller.enqueue(number);
    if (number === 6) controller.close();
  },
});
const transform = new TransformStream(
  {
    transform(chunk, controller) {
      console.log(`  ${chunk} is passed on`);
      controller.enqueue(chunk);
    },
  },
  { highWaterMark: 1 }, // of its writable side
  { highWaterMark: 0 }, // of its readable side
);
const sink = new WritableStream({
  async write(chunk) {
    console.log(`    ${chunk} is taken`);
    await sleep(5);
  },
});

await source.pipeThrough(transform).pipeTo(sink);
console.log("done");
