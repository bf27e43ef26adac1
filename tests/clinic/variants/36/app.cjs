// A map of five megabytes, kept in memory once and handed out whole.
const http = require("node:http");

const map = Buffer.alloc(5 * 1024 * 1024, "map ");

const server = http.createServer((req, res) => {
  if (req.headers["if-none-match"] === '"1"') return res.writeHead(304).end();
  res.writeHead(200, { "content-length": map.length, etag: '"1"' });
  res.end(map);
});
server.listen(18136, "127.0.0.1");
