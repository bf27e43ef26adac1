// One handler behind two servers of one process: HTTP/1.1, and HTTP/2 without TLS. The process that forked this one asks for counts.
import { once } from "node:events";
import { createServer } from "node:http";
import { createServer as createServer2 } from "node:http2";

const counts = { accepted: 0, inFlight: 0, most: 0, answered: 0 };

// what a request does
const handle = (request, response) => {
  counts.most = Math.max(counts.most, ++counts.inFlight);
  const [, what, amount] = request.url.split("/"); // /wait/20, /block/300, /bytes/4000
  const end = (body) => {
    counts.inFlight--;
    counts.answered++;
    response.end(body);
  };
  if (what === "wait") setTimeout(end, Number(amount), String(process.pid));
  else if (what === "bytes") end(Buffer.alloc(Number(amount)));
  else {
    const until = performance.now() + Number(amount);
    while (performance.now() < until);
    end("computed");
  }
};
// end of what

const { SOCKETS = "", STREAMS } = process.env;
const settings = STREAMS ? { maxConcurrentStreams: Number(STREAMS) } : {};
const servers = [createServer(handle), createServer2({ settings }, handle)];
const given = SOCKETS.split(" ").filter(Boolean).map(Number); // sockets that listen already
for (const [i, server] of servers.entries()) {
  server.on("connection", () => counts.accepted++);
  server.listen(given.length > 0 ? { fd: given[i] } : { port: 0, host: "127.0.0.1" });
}
await Promise.all(servers.map((server) => server.listening || once(server, "listening")));
process.send?.({ ports: servers.map((server) => server.address().port) });

process.on("message", (reset) => {
  const { user, system } = process.cpuUsage();
  process.send({ ...counts, cpuUs: user + system });
  if (reset) Object.assign(counts, { accepted: 0, most: 0, answered: 0 });
});
process.on("disconnect", () => process.exit());
