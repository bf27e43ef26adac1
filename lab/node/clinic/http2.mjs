// A front for a server that speaks HTTP/2: HTTP/1.1 comes in, and each connection of the load generator is one session with
// the server, on which one request follows another.
import http from "node:http";
import http2 from "node:http2";

// Of a connection, and not of a request: HTTP/2 forbids them.
const HOPS = new Set([
  "connection",
  "host",
  "http2-settings",
  "keep-alive",
  "proxy-connection",
  "te",
  "transfer-encoding",
  "upgrade",
]);
const { NGHTTP2_CANCEL, NGHTTP2_NO_ERROR } = http2.constants;

// dial : opens a connection to the server; origin : its scheme and authority
export function front(dial, origin) {
  const { protocol, host } = new URL(origin);
  const sessions = new WeakMap(); // connection of the load generator -> session
  const server = http.createServer({ requestTimeout: 0, keepAliveTimeout: 0 });

  server.on("connection", (client) => {
    client.setNoDelay(true);
    const session = http2.connect(origin, { createConnection: dial });
    sessions.set(client, session);
    // What ends one ends the other: the load generator counts what it had asked for as failed.
    client.on("error", () => session.destroy());
    client.on("close", () => session.destroy());
    session.on("error", () => client.destroy());
    session.on("close", () => client.destroy());
  });
  server.on("clientError", (_, client) => client.destroy());

  server.on("request", (request, response) => {
    const client = request.socket;
    const headers = {
      ":method": request.method,
      ":path": request.url,
      ":scheme": protocol.slice(0, -1),
      ":authority": host,
    };
    for (const [name, value] of Object.entries(request.headers))
      if (!HOPS.has(name)) headers[name] = value;
    const hasBody =
      "transfer-encoding" in request.headers || Number(request.headers["content-length"]) > 0;
    let stream;
    try {
      stream = sessions.get(client).request(headers, { endStream: !hasBody });
    } catch {
      client.destroy(); // the server has ended the session
      return;
    }
    stream.on("response", (fields) => {
      const plain = {};
      for (const [name, value] of Object.entries(fields)) if (name[0] !== ":") plain[name] = value;
      response.writeHead(fields[":status"], plain);
      stream.pipe(response);
    });
    stream.on("error", () => client.destroy());
    stream.on("close", () => {
      if (stream.rstCode !== NGHTTP2_NO_ERROR || !response.headersSent) client.destroy();
    });
    response.on("close", () => stream.close(response.writableFinished ? 0 : NGHTTP2_CANCEL));
    if (hasBody) request.pipe(stream);
  });
  return server;
}
