// room.mjs FLAGS…: 2,000 requests, of which the last KEEP are kept, or none. How many scavenges is that with these flags of Node,
// and how much of the time does collecting take?
import { print } from "../../streams/shared/asking.mjs";
import { collected } from "./_garbage.mjs";

const { KEEP = "0" } = process.env;
const flags = process.argv.slice(2);
const { scavenges, share, longestMs } = await collected({
  flags,
  env: { KEEP, ITEMS: "500" },
});
print({ scavenges, "share of the time (%)": 100 * share, "longest pause (ms)": longestMs });
