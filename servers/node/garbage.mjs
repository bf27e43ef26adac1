// Answers with the sum of ITEMS small objects that it makes, and keeps those of the last KEEP requests; /gc says what was collected.
// The book uses it for what the garbage collector takes: by what dies, by what lives, and by the room for the young.
import { createServer } from "node:http";
import { constants, PerformanceObserver } from "node:perf_hooks";

const { PORT = "0", ITEMS = "500", KEEP = "0" } = process.env;
const kept = [];

const make = () => {
  const items = [];
  for (let i = 0; i < Number(ITEMS); i++)
    items.push({ id: i, name: `item ${i}`, tags: [i, i + 1] });
  return items;
};
const keep = (items) => {
  kept.push(items);
  while (kept.length > Number(KEEP)) kept.shift();
};
// end of what it does for a request

const { NODE_PERFORMANCE_GC_MINOR: MINOR, NODE_PERFORMANCE_GC_MAJOR: MAJOR } = constants;
const seen = { scavenges: [], full: 0, parts: 0, allMs: 0, longestMs: 0 };
new PerformanceObserver((list) => {
  for (const { detail, duration } of list.getEntries()) {
    if (detail.kind === MINOR) seen.scavenges.push(duration);
    else seen[detail.kind === MAJOR ? "full" : "parts"] += 1;
    seen.allMs += duration;
    seen.longestMs = Math.max(seen.longestMs, duration);
  }
}).observe({ entryTypes: ["gc"] });

const server = createServer((request, response) => {
  if (request.url === "/gc") {
    const { heapUsed } = process.memoryUsage();
    return response.end(JSON.stringify({ ...seen, heapUsed, at: performance.now() }));
  }
  const items = make();
  keep(items);
  response.setHeader("content-type", "text/plain; charset=utf-8");
  response.end(`${items.reduce((sum, { id }) => sum + id, 0)}\n`);
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
