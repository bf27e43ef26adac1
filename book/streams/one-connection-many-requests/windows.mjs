// A response of 1 MB that its client does not read, and another of 1 MB that it would like to read, on one connection. How many bytes
// of each arrive? Once with Node's client, once by hand, without and with room that is given back to the connection.
import { once } from "node:events";
import { connect } from "node:http2";
import { setTimeout as sleep } from "node:timers/promises";
import { print } from "../shared/asking.mjs";
import { served } from "./_asking.mjs";
import { byHand } from "./_frames.mjs";

const MB = 1_000_000;
const server = await served();

/** Waits until a number is a whole megabyte, or has not changed for so long. */
const settled = async (value, ms = 200) => {
  for (let last = -1; last !== value() && last !== MB; await sleep(value() === MB ? 0 : ms))
    last = value();
};

for (const initialWindowSize of [16_384, 65_535, 262_144]) {
  const session = connect(`http://127.0.0.1:${server.two}`, { settings: { initialWindowSize } });
  await once(session, "remoteSettings");
  const unread = session.request({ ":path": `/bytes/${MB}` });
  await once(unread, "response");
  const { socket } = session;
  await settled(() => socket.bytesRead);
  const arrived = unread.readableLength;
  const read = session.request({ ":path": `/bytes/${MB}` });
  let bytes = 0;
  read.on("data", (chunk) => (bytes += chunk.length));
  await settled(() => bytes, 400);
  print({
    client: "Node's",
    "a stream's window": initialWindowSize,
    "unread stream": arrived,
    "its sibling": bytes,
  });
  session.destroy();
}

for (const gives of ["nothing", "the sibling", "the sibling and the connection"]) {
  const { ask, more, got, close } = await byHand(server.two);
  ask(1, `/bytes/${MB}`);
  await settled(() => got[1] ?? 0);
  ask(3, `/bytes/${MB}`);
  if (gives !== "nothing") more(3, MB);
  if (gives.endsWith("connection")) more(0, MB);
  await settled(() => got[3] ?? 0, 400);
  print({
    client: `by hand, gives room to ${gives}`,
    "a stream's window": 65_535,
    "unread stream": got[1] ?? 0,
    "its sibling": got[3] ?? 0,
  });
  close();
}
await server.stop();
