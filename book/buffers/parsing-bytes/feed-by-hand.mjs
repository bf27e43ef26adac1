// One frame of 256 KiB through two parsers, without a network, cut into chunks of different sizes: milliseconds.
import { parsers } from "../../../servers/node/frame-parsers.mjs";
import { frame } from "./_frame-client.mjs";

const ROUNDS = 7;
const bytes = frame(2 ** 18, 1);

for (const chunk of [64, 256, 1024, 4096, 16384, 65536]) {
  const pieces = [];
  for (let at = 0; at < bytes.length; at += chunk) pieces.push(bytes.subarray(at, at + chunk));
  for (const parser of ["concat", "list"]) {
    const times = [];
    for (let i = 0; i < ROUNDS; i++) {
      let frames = 0;
      const parse = parsers[parser](() => (frames += 1));
      const start = performance.now();
      for (const piece of pieces) parse(piece);
      times.push(performance.now() - start);
      if (frames !== 1) throw new Error(`${parser} found ${frames} frames`);
    }
    console.log(JSON.stringify({ parser, chunk, ms: Math.min(...times) }));
  }
}
