// Small clients that know exactly what was sent and what came back, for the programs of this part.
import { once } from "node:events";
import { get } from "node:http";
import { connect, createServer } from "node:net";
import median from "../../../lab/node/api/median.js";

export { median };

export const address = () => {
  const { hostname, port } = new URL(process.env.SERVER_URL);
  return { host: hostname, port: Number(port) };
};

/** A port of 127.0.0.1 that was free a moment ago. */
export const freePort = async () => {
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address();
  await once(server.close(), "close");
  return port;
};

/** All that a TCP (or UNIX) server says until it closes. */
export const hear = async (where, words) => {
  const socket = connect(where);
  if (words) socket.write(words);
  let text = "";
  for await (const part of socket.setEncoding("utf8")) text += part;
  return text;
};

/** The tcp port and the REPL's socket of servers/node/two-servers.mjs. */
export const where = async () =>
  new Promise((resolve, reject) => {
    const request = get({ ...address(), path: "/where", agent: false }, async (response) => {
      let text = "";
      for await (const part of response) text += part;
      resolve(JSON.parse(text));
    });
    request.on("error", reject);
  });

/** One row on a line: measured numbers with five digits, counts as they are. */
export const print = (row) =>
  console.log(
    JSON.stringify(row, (_, value) =>
      typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(5)) : value,
    ),
  );
