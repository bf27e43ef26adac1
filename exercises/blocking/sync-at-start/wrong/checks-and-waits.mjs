import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";

const { CONFIG = ".", PORT = "0" } = process.env;
const load = () => {
  const template = readFileSync(join(CONFIG, "template.txt"), "utf8");
  const { place } = JSON.parse(readFileSync(join(CONFIG, "settings.json"), "utf8"));
  return { template, place };
};
load();
let known;

const server = createServer((request, response) => {
  known ??= load();
  const { template, place } = known;
  const name = decodeURIComponent(request.url.slice(1));
  response.setHeader("content-type", "text/plain; charset=utf-8");
  response.end(template.replaceAll("{name}", () => name).replaceAll("{place}", () => place));
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
