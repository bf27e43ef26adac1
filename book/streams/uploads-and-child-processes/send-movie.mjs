// send-movie.mjs MIB: uploads that many generated mebibytes, with their hash made on the way, and looks at the
// server's memory meanwhile. Nothing of the movie is ever in a file here: it is made as the server takes it.
import { createHash } from "node:crypto";
import { Agent, request } from "node:http";
import { performance } from "node:perf_hooks";
import { pipeline } from "node:stream/promises";
import { address, print } from "../shared/asking.mjs";
import { MIB, residentMib, scale, tree } from "../shared/watching.mjs";

const total = Math.ceil(Number(process.argv[2]) * scale);
const pids = tree(Number(process.env.SERVER_PID));
const hash = createHash("sha256");
let made = 0;
function* movie() {
  for (; made < total; made += 1) {
    const frame = Buffer.alloc(MIB, `frame ${made} `);
    hash.update(frame);
    yield frame;
  }
}

const before = residentMib(pids);
const began = performance.now();
const look = () => {
  const t_s = (performance.now() - began) / 1000;
  print({ kind: "look", t_s, made, growth: residentMib(pids) - before });
};
const timer = setInterval(look, 25);
const headers = { "content-length": total * MIB };
// A connection that stays open: else the server would close it under us when it answers early.
const agent = new Agent({ keepAlive: true });
const upload = request({ ...address(), method: "POST", agent, headers });
let s = 0;
const written = () => {
  s = (performance.now() - began) / 1000;
  clearInterval(timer);
  look();
};
const answer = new Promise((resolve, reject) => {
  upload.on("response", async (response) => {
    let text = "";
    for await (const part of response.setEncoding("utf8")) {
      if (!text) written(); // the second line comes when the server has read the file back
      text += part;
    }
    resolve({ status: response.statusCode, text: text.trim() });
  });
  upload.on("error", reject);
});
// A server that gives up answers before it has everything.
pipeline(movie, upload).catch(() => {});
const { status, text } = await answer;
const sent = hash.digest("hex");
const [came, file] = status === 200 ? text.split("\n").map((line) => JSON.parse(line)) : [];
const same = came?.sha256 === sent && file?.read_back === sent;
print({ kind: "done", mib: total, s, status, same, text });
process.exit();
