import { Transform } from "node:stream";

export function records(_most) {
  return new Transform({
    readableObjectMode: true,
    transform(chunk, _encoding, done) {
      for (const line of chunk.toString().split("\n")) {
        if (line) this.push(JSON.parse(line));
      }
      done();
    },
  });
}
