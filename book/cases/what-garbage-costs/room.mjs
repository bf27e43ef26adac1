// room.mjs FLAGS…: 2,000 requests, of which the last KEEP are kept, or none. How many scavenges is that with these flags of Node,
// and how much of the time does collecting take?
import { print } from "../../streams/shared/asking.mjs";
import { collected } from "./_garbage.mjs";

const { KEEP = "0" } = process.env;
const flags = process.argv.slice(2);
// Something else on the processors changes the number. So the server is started three times, and the middle one counts.
const runs = [];
for (let n = 0; n < 3; n++) runs.push(await collected({ flags, env: { KEEP, ITEMS: "500" } }));
const [, { scavenges, share, longestMs }] = runs.sort((a, b) => a.scavenges - b.scavenges);
print({ scavenges, "share of the time (%)": 100 * share, "longest pause (ms)": longestMs });
