import { Transform } from "node:stream";

export function records(most) {
  return new Transform({
    readableObjectMode: true,
    transform(chunk, _encoding, done) {
      try {
        for (const line of chunk.toString().split("\n")) {
          if (Buffer.byteLength(line) > most) throw new RangeError("a line is too long");
          if (line.trim()) this.push(JSON.parse(line));
        }
        done();
      } catch (error) {
        done(error);
      }
    },
  });
}
