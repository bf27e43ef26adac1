import { Transform } from "node:stream";

const LF = 10;
const CR = 13;

export function records(most) {
  let pieces = []; // of the line that is not complete
  let size = 0;
  let line = 1;

  const keep = (piece) => {
    if (piece.length === 0) return;
    pieces.push(piece);
    size += piece.length;
  };

  const finish = () => {
    const all = pieces.length === 1 ? pieces[0] : Buffer.concat(pieces, size);
    const bytes = all.at(-1) === CR ? all.subarray(0, -1) : all;
    if (bytes.length > most) throw new RangeError(`line ${line} has more than ${most} bytes`);
    [pieces, size] = [[], 0];
    try {
      return bytes.length > 0 ? JSON.parse(bytes.toString()) : undefined;
    } catch (error) {
      throw Object.assign(new SyntaxError(`line ${line}: ${error.message}`), { line });
    } finally {
      line++;
    }
  };

  return new Transform({
    readableObjectMode: true,
    transform(chunk, _encoding, done) {
      try {
        let from = 0;
        for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, from)) {
          keep(chunk.subarray(from, end));
          from = end + 1;
          const record = finish();
          if (record !== undefined) this.push(record);
        }
        keep(chunk.subarray(from));
        done();
      } catch (error) {
        done(error);
      }
    },
    flush(done) {
      try {
        done(null, finish());
      } catch (error) {
        done(error);
      }
    },
  });
}
