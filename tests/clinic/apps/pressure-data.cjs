// missing backpressure: a file is read as fast as the disk can, whoever reads the answer
const fs = require("node:fs");
const http = require("node:http");
const os = require("node:os");
const path = require("node:path");

const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "app-")), "big");
fs.writeFileSync(file, Buffer.alloc(24 * 1024 * 1024, "x"));
const server = http.createServer((_request, response) => {
  const source = fs.createReadStream(file);
  source.on("data", (chunk) => response.write(chunk));
  source.on("end", () => response.end());
  response.on("close", () => source.destroy());
});
server.listen(Number(process.env.PORT), "127.0.0.1");
