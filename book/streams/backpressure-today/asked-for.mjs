// A source that makes a chunk when it is asked for one, and a sink that takes 5 ms for each chunk.
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

let number = 0;
const source = new ReadableStream(
  {
    pull(controller) {
      number += 1;
      console.log(`chunk ${number} is made`);
      controller.enqueue(number);
      if (number === 6) controller.close();
    },
  },
  { highWaterMark: 1 },
);

const sink = new WritableStream(
  {
    async write(chunk) {
      console.log(`chunk ${chunk} is taken`);
      await sleep(5);
    },
  },
  { highWaterMark: 3 },
);

await source.pipeTo(sink);
console.log("done");
