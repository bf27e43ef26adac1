// A server that allows ten streams at once, and ten connections, one after another, with fifty requests each: sent before the client has
// the server's settings, and after.
import { once } from "node:events";
import { connect } from "node:http2";
import { text } from "node:stream/consumers";
import { print } from "../shared/asking.mjs";
import { served } from "./_asking.mjs";

const server = await served({ STREAMS: "10" });
for (const sent of ["before the server's settings came", "after that"]) {
  await server.counts(true);
  let refused = 0;
  for (let connection = 0; connection < 10; connection++) {
    const session = connect(`http://127.0.0.1:${server.two}`);
    if (sent === "after that") await once(session, "remoteSettings");
    const ask = () => text(session.request({ ":path": "/wait/10" }));
    const asked = await Promise.allSettled(Array.from({ length: 50 }, ask));
    refused += asked.filter(({ status }) => status === "rejected").length;
    session.destroy();
  }
  const { most, answered } = await server.counts();
  print({ "requests sent": sent, "most in flight": most, answered, refused });
}
await server.stop();
