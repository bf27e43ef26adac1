// starved pool: four opens hang for ever, so no file is ever read
import { execFileSync } from "node:child_process";
import { mkdtempSync, open, readFile } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

const pipe = join(mkdtempSync(join(tmpdir(), "app-")), "pipe");
execFileSync("mkfifo", [pipe]);
for (let i = 0; i < 4; i++) open(pipe, "r", () => {});
const server = http.createServer((_request, response) => {
  readFile("/etc/hosts", (_error, text) => response.end(text));
});
server.listen(Number(process.env.PORT), "127.0.0.1");
