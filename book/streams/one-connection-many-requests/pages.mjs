// pages.mjs DELAY_MS: how long does a page of 40 small objects take, and one of 40 larger ones, over six HTTP/1.1 connections and over
// one HTTP/2 connection? The delay is that of one way; 0 is the loopback, without a line of ours.
import { median, print } from "../shared/asking.mjs";
import { fromFar } from "./_line.mjs";

const delayMs = Number(process.argv[2]);
for (const bytes of [1_000, 30_000]) {
  const env = { LOAD: "pages", BYTES: String(bytes), PAGES: "3" };
  const rows = (await fromFar(env, { delayMs })).filter((row) => row.ms);
  for (const connections of new Set(rows.map((row) => row.connections))) {
    const page = rows.filter((row) => row.connections === connections).map((row) => row.ms);
    print({
      "round trip (ms)": 2 * delayMs,
      "bytes each": bytes,
      connections,
      "page (ms)": median(page),
    });
  }
}
