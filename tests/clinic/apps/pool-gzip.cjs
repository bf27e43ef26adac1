// starved pool: every answer is compressed as hard as can be, four parts at once
const http = require("node:http");
const { brotliCompress } = require("node:zlib");
const { promisify } = require("node:util");

const compress = promisify(brotliCompress);
const text = Buffer.from(Array.from({ length: 12_000 }, (_, i) => `line ${i * i}`).join("\n"));
const server = http.createServer(async (_request, response) => {
  const parts = await Promise.all([1, 2, 3, 4].map(() => compress(text)));
  response.end(Buffer.concat(parts));
});
server.listen(Number(process.env.PORT), "127.0.0.1");
