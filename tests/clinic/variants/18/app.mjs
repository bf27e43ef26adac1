// Two name servers are configured, and the first one died long ago: each question waits for it.
import { createSocket } from "node:dgram";
import { promises as dns } from "node:dns";
import { createServer } from "node:http";
import { nameServer } from "../16/resolver.mjs";

const dead = createSocket("udp4");
await new Promise((done) => dead.bind(0, "127.0.0.1", done));

const addressOf = async (name) => {
  const resolver = new dns.Resolver({ timeout: 120, tries: 2 });
  resolver.setServers([`127.0.0.1:${dead.address().port}`, live]);
  return (await resolver.resolve4(name))[0];
};
const live = await nameServer(1);

createServer(async (_request, response) => {
  try {
    response.end(await addressOf("db.shop.test"));
  } catch (error) {
    response.writeHead(503).end(error.code);
  }
}).listen(process.env.PORT ?? 18118, "127.0.0.1");
