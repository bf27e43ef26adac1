// A large table as JSON, packed while everybody waits.
import { createServer } from "node:http";
import { gzipSync } from "node:zlib";

const rows = Array.from({ length: 9_000 }, (_, id) => ({ id, name: `row ${id}`, value: id * 1.5 }));

createServer((_req, res) => {
  res.setHeader("content-type", "application/json");
  res.setHeader("content-encoding", "gzip");
  res.end(gzipSync(JSON.stringify(rows), { level: 9 }));
}).listen(process.env.PORT ?? 18156);
