// A logger of one's own, with levels; the lowest is on, and each record goes out by writeSync.
import { mkdtempSync, openSync, writeSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

const levels = { debug: 10, info: 20, error: 30 } as const;
type Level = keyof typeof levels;
const least: number = levels.debug;
const log = openSync(join(mkdtempSync(join(tmpdir(), "service-")), "service.log"), "a");

function record(level: Level, text: string, more: Record<string, unknown> = {}): void {
  if (levels[level] < least) return;
  writeSync(
    log,
    `${JSON.stringify({ level, text, pid: process.pid, time: Date.now(), ...more })}\n`,
  );
}

createServer((request, response) => {
  record("info", "request", { url: request.url, headers: request.headers });
  for (let row = 0; row < 60; row += 1) record("debug", "row is read", { row });
  response.end("60 rows\n", () => record("info", "answered"));
}).listen(Number(process.env.PORT ?? 18129), "127.0.0.1");
