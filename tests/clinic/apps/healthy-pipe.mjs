// healthy: a file of eight megabytes, piped
import { createReadStream, mkdtempSync, writeFileSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream";

const file = join(mkdtempSync(join(tmpdir(), "app-")), "big");
writeFileSync(file, Buffer.alloc(8 * 1024 * 1024, "x"));
const server = http.createServer((_request, response) => {
  pipeline(createReadStream(file), response, () => {});
});
server.listen(Number(process.env.PORT), "127.0.0.1");
