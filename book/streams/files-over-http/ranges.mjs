// Asks SERVER_URL for parts of its file, as browsers and players do, and checks each byte against the whole.
import { address, print } from "../shared/asking.mjs";

const url = `http://${address().host}:${address().port}/`;
const whole = Buffer.from(await (await fetch(url)).arrayBuffer());
const parts = {
  "bytes=0-9": [0, 10],
  "bytes=100-100": [100, 101],
  "bytes=-5": [whole.length - 5, whole.length],
  [`bytes=${whole.length - 3}-`]: [whole.length - 3, whole.length],
  [`bytes=10-${whole.length * 2}`]: [10, whole.length],
  [`bytes=${whole.length}-`]: null,
  "bytes=9-5": [0, whole.length], // what is no range a server ignores,
  "items=0-4": [0, whole.length], // as what it does not know
};
for (const [range, expected] of Object.entries(parts)) {
  const answer = await fetch(url, { headers: { range } });
  const body = Buffer.from(await answer.arrayBuffer());
  const right = expected ? whole.subarray(...expected).equals(body) : body.length === 0;
  const said = answer.headers.get("content-range");
  print({ range, status: answer.status, "content-range": said, bytes: body.length, right });
}
const head = await fetch(url, { method: "HEAD" });
const [status, length] = [head.status, Number(head.headers.get("content-length"))];
const bytes = (await head.arrayBuffer()).byteLength;
print({ range: "(HEAD)", status, bytes, right: length === whole.length && bytes === 0 });
