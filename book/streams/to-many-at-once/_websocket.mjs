// As much of a WebSocket server (RFC 6455) as this page needs: the handshake, and frames of text from the server. What clients send is
// read and dropped.
import { createHash } from "node:crypto";

const ID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"; // the same for every server, says the standard

/** Answers a request to upgrade. From here on the socket carries frames. */
export const accept = ({ headers }, socket) => {
  const sum = createHash("sha1").update(headers["sec-websocket-key"] + ID);
  const lines = [
    "HTTP/1.1 101 Switching Protocols",
    "upgrade: websocket",
    "connection: upgrade",
    `sec-websocket-accept: ${sum.digest("base64")}`,
  ];
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  return socket.on("error", () => {}).resume();
};

/** A text in one frame: a server doesn't mask its frames, so all clients can get the same bytes. */
export const frame = (text) => {
  const body = Buffer.from(text);
  if (body.length > 65_535) throw new RangeError("this frame can have 65,535 bytes at most");
  const head = Buffer.from(body.length < 126 ? [0x81, body.length] : [0x81, 126, 0, 0]);
  if (body.length >= 126) head.writeUInt16BE(body.length, 2);
  return Buffer.concat([head, body]);
};
