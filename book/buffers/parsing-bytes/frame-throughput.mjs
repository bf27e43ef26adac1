// MiB per second through each parser, by the size of the frames: 16 MiB in each run, three runs, the median.
import { counted, frame, open } from "./_frame-client.mjs";

const TOTAL = 16 * 2 ** 20;
const RUNS = 3;
const PARSERS = ["concat", "make-room", "list"];
const sizes = [64, 1024, 16384, 262144, 2 ** 20, 4 * 2 ** 20, 16 * 2 ** 20];

async function run(parser, bytes) {
  const socket = await open(parser);
  const start = process.hrtime.bigint();
  const answer = counted(socket);
  socket.end(bytes);
  const { frames, wrong } = await answer;
  const seconds = Number(process.hrtime.bigint() - start) / 1e9;
  return { frames, wrong, mib_per_s: TOTAL / 2 ** 20 / seconds };
}

for (const size of sizes) {
  const number = TOTAL / size;
  const bytes = Buffer.concat(Array.from({ length: number }, (_, i) => frame(size, i)));
  const found = Object.fromEntries(PARSERS.map((parser) => [parser, []]));
  for (let i = 0; i < RUNS; i++)
    for (const parser of i % 2 ? PARSERS.toReversed() : PARSERS) {
      const { frames, wrong, mib_per_s } = await run(parser, bytes);
      if (frames !== number || wrong > 0)
        throw new Error(`${parser}: ${frames} of ${number} frames`);
      found[parser].push(mib_per_s);
    }
  for (const [parser, rates] of Object.entries(found)) {
    const middle = rates.sort((a, b) => a - b)[RUNS >> 1];
    console.log(JSON.stringify({ parser, size, mib_per_s: middle }));
  }
}
