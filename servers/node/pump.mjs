// Makes MIB mebibytes as fast as the reader asks, or faster: the path says how a slow reader is minded.
// The book uses it to show where bytes wait when the source is faster than the reader.
import { once } from "node:events";
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

const { MIB = "200", CHUNK = "65536", MARK = "16384", PORT = "0" } = process.env;
const bytes = Number(MIB) * 2 ** 20;
const state = { made: 0, queued: () => 0 };

/** One chunk per turn of the loop. Each is fresh memory, as from a disk or a network. */
const source = () =>
  new Readable({
    highWaterMark: Number(CHUNK),
    read() {
      const size = Math.min(Number(CHUNK), bytes - state.made);
      state.made += size;
      setImmediate(() => this.push(size ? Buffer.alloc(size, "x") : null));
    },
  });

export const ways = {
  ignore: (from, to) => from.on("data", (chunk) => to.write(chunk)).on("end", () => to.end()),
  pump: (from, to) => {
    from.on("data", (chunk) => to.write(chunk) || from.pause()).on("end", () => to.end());
    to.on("drain", () => from.resume());
  },
  pipe: (from, to) => from.pipe(to),
  pipeline: (from, to) => pipeline(from, to).catch(() => {}), // the reader left: both are closed
  "for-await": async (from, to) => {
    for await (const chunk of from) if (!to.write(chunk)) await once(to, "drain");
    to.end();
  },
};

const server = createServer({ highWaterMark: Number(MARK) }, (request, response) => {
  const way = ways[request.url.slice(1)];
  const { made, queued } = state;
  if (!way)
    return response.end(JSON.stringify({ made, queued: queued(), ...process.memoryUsage() }));
  Object.assign(state, { made: 0, queued: () => response.writableLength });
  response.setHeader("content-length", bytes);
  way(source(), response);
});
server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
