// until-it-breaks.mjs HOW LIMIT: a server that may open LIMIT descriptors, and clients that leave in the middle, until
// one is refused (or 200 have left).
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { print } from "../shared/asking.mjs";

const [how, limit] = process.argv.slice(2);
const server = fileURLToPath(new URL("../../../servers/node/fail-half.mjs", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "breaks-"));
const FILE = join(folder, "file");
writeFileSync(FILE, Buffer.alloc(2 ** 23, "x"));
const command = ["-c", 'ulimit -n "$0" && exec "$@"', limit, process.execPath, server];
const env = { ...process.env, FILE, HOW: how, PORT: "0" };
const child = spawn("sh", command, { env, stdio: ["ignore", "pipe", "inherit"] });
const [line] = await once(child.stdout, "data");
const port = Number(new URL(String(line).trim().split(" ").at(-1)).port);

const ask = () =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.write("GET / HTTP/1.1\r\nhost: me\r\nconnection: close\r\n\r\n");
    let text = "";
    socket.setEncoding("latin1").on("data", (part) => {
      text += part;
      if (text.startsWith("HTTP/1.1 200")) socket.destroy(); // this one leaves
    });
    socket.setTimeout(2000, () => socket.destroy());
    socket.on("error", () => {});
    socket.on("close", () => resolve(text));
  });

let served = 0;
let last = "";
for (; served < 200; served += 1) {
  last = await ask();
  if (!last.startsWith("HTTP/1.1 200")) break;
}
const [head, body = ""] = last.split("\r\n\r\n");
const answer = `${head.split("\r\n")[0].slice(9)}: ${body.split("\r\n")[1]?.trim() ?? ""}`; // the first chunk
const said = last ? answer : "nothing";
print({ how, limit: Number(limit), served, "then it said": served === 200 ? "" : said });
child.kill();
rmSync(folder, { recursive: true });
