// Asks node/ping for a hash and, a little later, for one ping after the other until the hash is there. Says of each try
// how long the first ping waited and how many pings the server has answered meanwhile, by its own count.
import { get } from "node:http";
import { connect } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

const { SERVER_URL, LAB_PROFILE = "course" } = process.env;
const TRIES = { smoke: 1, course: 2, reference: 10 }[LAB_PROFILE];
const AFTER_MS = 100;
const { host, hostname, port } = new URL(SERVER_URL);

// Pings go over one connection, written by hand: a client that takes long for each would count itself.
const request = `GET /ping HTTP/1.1\r\nhost: ${host}\r\n\r\n`;
const socket = connect(port, hostname).setNoDelay(true).setEncoding("utf8");
let text = "";
let pong;
socket.on("data", (part) => {
  text += part;
  if (!text.endsWith("pong\n")) return;
  text = "";
  pong();
});
let answered = 0;
const ping = async () => {
  const from = performance.now();
  await new Promise((resolve) => {
    pong = resolve;
    socket.write(request);
  });
  answered += 1;
  return performance.now() - from;
};
const hash = () =>
  new Promise((resolve, reject) => {
    get(SERVER_URL, async (response) => {
      const said = (await response.setEncoding("utf8").toArray()).join("");
      resolve(said.match(/\d+/g).map(Number));
    }).on("error", reject);
  });

// Both ends are warm before anything counts.
for (let i = 0; i < 1000; i++) await ping();
const [hashesBefore, pingsBefore] = await hash();
let hashed = hashesBefore;
const others = pingsBefore - answered; // whoever started the server has asked it, too

for (let i = 0; i < TRIES; i++) {
  const before = { hashed, answered };
  let done = false;
  const hashing = hash().finally(() => {
    done = true;
  });
  await wait(AFTER_MS);
  const waitMs = await ping();
  while (!done) await ping();
  const [hashesSoFar, pingsSoFar] = await hashing;
  hashed = hashesSoFar;
  const meanwhile = pingsSoFar - others - before.answered;
  const counts = { pings: meanwhile, hashes: hashed - before.hashed };
  console.log(JSON.stringify({ waitMs, ...counts }));
}
socket.destroy();
