// slow look-ups: each request asks a server of names that takes its time
const dgram = require("node:dgram");
const dns = require("node:dns");
const http = require("node:http");

const names = dgram.createSocket("udp4");
names.on("message", (query, from) => {
  const answer = Buffer.concat([
    query.subarray(0, 2),
    Buffer.from([0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0]),
    query.subarray(12, query.indexOf(0, 12) + 5),
    Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 127, 0, 0, 1]),
  ]);
  setTimeout(() => names.send(answer, from.port, from.address), 60);
});
names.bind(0, "127.0.0.1", () => {
  const resolver = new dns.Resolver();
  resolver.setServers([`127.0.0.1:${names.address().port}`]);
  const server = http.createServer((_request, response) => {
    resolver.resolve4("books.test", (error, found) => response.end(error?.code ?? found[0]));
  });
  server.listen(Number(process.env.PORT), "127.0.0.1");
});
