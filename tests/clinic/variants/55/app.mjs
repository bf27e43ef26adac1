// A table as JSON, packed for those who take it packed.
import { createServer } from "node:http";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

const pack = promisify(gzip);
const rows = Array.from({ length: 200 }, (_, id) => ({ id, name: `row ${id}`, value: id * 1.5 }));

createServer(async (req, res) => {
  const text = JSON.stringify(rows);
  res.setHeader("content-type", "application/json");
  if (!/\bgzip\b/.test(req.headers["accept-encoding"] ?? "gzip")) return res.end(text);
  res.setHeader("content-encoding", "gzip");
  res.end(await pack(text, { level: 1 }));
}).listen(process.env.PORT ?? 18155);
