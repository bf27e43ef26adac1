// As much of HTTP/2 as a client needs that asks twice and says by hand how many bytes it has room for.
import { once } from "node:events";
import { connect } from "node:net";

const [DATA, HEADERS, SETTINGS, WINDOW_UPDATE] = [0, 1, 4, 8];

const frame = (type, flags, stream, payload) => {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
};
const text = (value) => Buffer.concat([Buffer.from([value.length]), Buffer.from(value)]);
const number = (value) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

/** A connection on which `got` counts the bytes of each stream, `more(stream, bytes)` gives room, and stream 0 is the connection. */
export const byHand = async (port, host = "127.0.0.1") => {
  const socket = connect(port, host);
  await once(socket, "connect");
  socket.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
  socket.write(frame(SETTINGS, 0, 0, Buffer.alloc(0)));
  const got = {};
  let rest = Buffer.alloc(0);
  socket.on("data", (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 9 && rest.length >= 9 + rest.readUIntBE(0, 3)) {
      const [length, type, flags] = [rest.readUIntBE(0, 3), rest[3], rest[4]];
      if (type === DATA) got[rest.readUInt32BE(5)] = (got[rest.readUInt32BE(5)] ?? 0) + length;
      if (type === SETTINGS && !(flags & 1)) socket.write(frame(SETTINGS, 1, 0, Buffer.alloc(0)));
      rest = rest.subarray(9 + length);
    }
  });
  const ask = (stream, path) => {
    // GET, http, and two headers with names of the static table: 4 is :path, 1 is :authority
    const words = [Buffer.from([0x82, 0x86, 0x04]), text(path), Buffer.from([0x01]), text(host)];
    socket.write(frame(HEADERS, 0x5, stream, Buffer.concat(words)));
  };
  const more = (stream, bytes) => socket.write(frame(WINDOW_UPDATE, 0, stream, number(bytes)));
  return { ask, more, got, close: () => socket.destroy() };
};
