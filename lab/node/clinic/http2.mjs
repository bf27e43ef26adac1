// A front for a server that speaks HTTP/2: HTTP/1.1 comes in, and each connection of the load generator is one session with
// the server, on which one request follows another. Or several connections share a session, with a stream of each at a time.
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

// dial : opens a connection to the server; origin : its scheme and authority; streams : how many connections share a session
export function front(dial, origin, streams = 1) {
  const { protocol, host } = new URL(origin);
  const sessions = new WeakMap(); // connection of the load generator -> session
  const clients = new Map(); // open session -> the connections of the load generator that share it
  const server = http.createServer({ requestTimeout: 0, keepAliveTimeout: 0 });

  function withPlace() {
    for (const [session, sharing] of clients)
      if (!session.closed && sharing.size > 0 && sharing.size < streams) return session;
    return null;
  }

  function opened() {
    const session = http2.connect(origin, { createConnection: dial });
    clients.set(session, new Set());
    // What ends it ends its clients: the load generator counts what they had asked for as failed.
    const end = () => {
      for (const client of clients.get(session) ?? []) client.destroy();
      clients.delete(session);
    };
    session.on("error", end);
    session.on("close", end);
    return session;
  }

  server.on("connection", (client) => {
    client.setNoDelay(true);
    const session = withPlace() ?? opened();
    const sharing = clients.get(session).add(client);
    sessions.set(client, session);
    client.on("error", () => client.destroy());
    client.on("close", () => {
      sharing.delete(client);
      if (sharing.size === 0) session.destroy();
    });
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
    // A stream that has ended must not be reset: after about a thousand resets, a server takes them for an attack (CVE-2023-44487)
    // and ends the session.
    response.on("close", () => {
      if (!response.writableFinished) stream.close(NGHTTP2_CANCEL);
    });
    if (hasBody) request.pipe(stream);
  });
  return server;
}
