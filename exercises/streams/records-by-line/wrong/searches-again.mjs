import { Transform } from "node:stream";
import { StringDecoder } from "node:string_decoder";

export function records(most) {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  let number = 0;

  const parse = (text) => {
    number++;
    const line = text.endsWith("\r") ? text.slice(0, -1) : text;
    limit(line);
    if (line === "") return undefined;
    try {
      return JSON.parse(line);
    } catch (error) {
      throw Object.assign(new SyntaxError(error.message), { line: number });
    }
  };
  const limit = (text) => {
    if (Buffer.byteLength(text) > most) throw new RangeError(`a line has more than ${most} bytes`);
  };

  return new Transform({
    readableObjectMode: true,
    transform(chunk, _encoding, done) {
      try {
        const lines = (rest + decoder.write(chunk)).split("\n");
        rest = lines.pop();
        for (const line of lines) {
          const record = parse(line);
          if (record !== undefined) this.push(record);
        }
        limit(rest.endsWith("\r") ? rest.slice(0, -1) : rest);
        done();
      } catch (error) {
        done(error);
      }
    },
    flush(done) {
      try {
        done(null, parse(rest + decoder.end()));
      } catch (error) {
        done(error);
      }
    },
  });
}
