// Sends CHUNKS chunks of BYTES from memory through a transform that changes nothing, and answers how many bytes came out.
// The book uses it to compare Node's own streams with Web Streams: HOW is pipeline or pipeThrough.
import { createServer } from "node:http";
import { Readable, Transform, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";

const { PORT = "0", HOW = "pipeline", CHUNKS = "2000", BYTES = "1024" } = process.env;
const chunk = new Uint8Array(Number(BYTES));

export const ways = {
  async pipeline() {
    let [made, came] = [0, 0];
    await pipeline(
      new Readable({
        read() {
          this.push(made++ < CHUNKS ? chunk : null);
        },
      }),
      new Transform({ transform: (part, _, done) => done(null, part) }),
      new Writable({
        write(part, _, done) {
          came += part.length;
          done();
        },
      }),
    );
    return came;
  },
  async pipeThrough() {
    let [made, came] = [0, 0];
    const pull = (controller) => (made++ < CHUNKS ? controller.enqueue(chunk) : controller.close());
    const write = (part) => {
      came += part.length;
    };
    await new ReadableStream({ pull })
      .pipeThrough(new TransformStream())
      .pipeTo(new WritableStream({ write }));
    return came;
  },
}; // end of the ways

const server = createServer(async (_, response) => {
  response.setHeader("content-type", "text/plain; charset=utf-8");
  response.end(`${await ways[HOW]()}\n`);
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
