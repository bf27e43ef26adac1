// Sends the same frames to each parser three times: all in one write, a write for each, a write for each byte.
import { setTimeout as sleep } from "node:timers/promises";
import { counted, frame, open } from "./_frame-client.mjs";

const frames = Array.from({ length: 30 }, (_, i) => frame((i * 7) % 23, i));
const all = Buffer.concat(frames);
const feeds = {
  "all at once": [all],
  "a frame at a time": frames,
  "a byte at a time": Array.from(all, (byte) => Buffer.of(byte)),
};

for (const parser of ["one-chunk", "concat", "make-room", "list"])
  for (const [fed, pieces] of Object.entries(feeds)) {
    const socket = await open(parser);
    const answer = counted(socket);
    for (const piece of pieces) {
      if (socket.destroyed) break;
      await new Promise((resolve) => socket.write(piece, resolve));
      await sleep(1); // the server reads it meanwhile: the next piece is a chunk of its own
    }
    socket.end();
    const { chunks, frames: right, wrong, error = "" } = await answer;
    console.log(
      JSON.stringify({ parser, fed, chunks, frames: frames.length, right: right - wrong, error }),
    );
  }
