// Speaks frames with node/frames at SERVER_URL: a connection to one of its parsers, frames, and what it counted.
import { once } from "node:events";
import { get, request } from "node:http";

/** A length in four bytes and a payload of that size, filled with the frame's number. */
export function frame(size, number) {
  const made = Buffer.allocUnsafe(4 + size);
  made.writeUInt32BE(size, 0);
  return made.fill(number % 256, 4);
}

/** A socket behind which `parser` listens. */
export async function open(parser) {
  const headers = { connection: "upgrade", upgrade: "frames" };
  const asked = request(`${process.env.SERVER_URL}/${parser}`, { headers }).end();
  const [, socket] = await once(asked, "upgrade");
  return socket.setNoDelay(true);
}

/** What the server counted, once it has heard everything. */
export async function counted(socket) {
  const parts = [];
  for await (const chunk of socket) parts.push(chunk);
  return JSON.parse(Buffer.concat(parts));
}

/** The text that the server answers on a path. */
export async function ask(path) {
  const [response] = await once(get(`${process.env.SERVER_URL}${path}`), "response");
  let text = "";
  for await (const part of response.setEncoding("utf8")) text += part;
  return text;
}
