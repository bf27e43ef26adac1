// send-movie.mjs MIB: uploads that many generated mebibytes, with their hash made on the way, and looks at the
// server's memory meanwhile. Nothing of the movie is ever in a file here: it is made as the server takes it.
import { createHash } from "node:crypto";
import { Agent, request } from "node:http";
import { performance } from "node:perf_hooks";
import { pipeline } from "node:stream/promises";
import { address, print } from "./asking.mjs";
import { MIB, residentMib, scale, tree } from "./watching.mjs";

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
const answer = new Promise((resolve, reject) => {
  upload.on("response", async (response) => {
    let text = "";
    for await (const part of response) text += part;
    resolve({ status: response.statusCode, text });
  });
  upload.on("error", reject);
});
// A server that gives up answers before it has everything.
pipeline(movie, upload).catch(() => {});
const { status, text } = await answer;
clearInterval(timer);
look();
const same = status === 200 && JSON.parse(text).sha256 === hash.digest("hex");
const mib = total;
print({
  kind: "done",
  mib,
  s: (performance.now() - began) / 1000,
  status,
  same,
  text: text.trim(),
});
process.exit();
