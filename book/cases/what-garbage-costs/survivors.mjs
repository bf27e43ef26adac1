// 2,000 requests that make the same garbage, in the same room for the young: what does a scavenge take if the objects of the last
// KEEP requests are still in use?
import { print } from "../../streams/shared/asking.mjs";
import { collected } from "./_garbage.mjs";

const flags = ["--min-semi-space-size=16", "--max-semi-space-size=16"];
for (const KEEP of ["0", "10", "100"]) {
  const { scavenges, scavengeMs, full } = await collected({ flags, env: { KEEP, ITEMS: "500" } });
  print({ "requests kept": Number(KEEP), scavenges, "a scavenge (ms)": scavengeMs, full });
}
