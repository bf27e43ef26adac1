// A server of names on this machine: it knows that prices.test is 127.0.0.1, and takes 60 ms to say so.
import { createSocket } from "node:dgram";
import { Resolver } from "node:dns/promises";
import { once } from "node:events";

export async function resolverOfNames(delayMs = 60) {
  const names = createSocket("udp4");
  names.on("message", (query, from) => {
    const answer = Buffer.concat([
      query.subarray(0, 2),
      Buffer.from([0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0]),
      query.subarray(12, query.indexOf(0, 12) + 5),
      Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 127, 0, 0, 1]),
    ]);
    setTimeout(() => names.send(answer, from.port, from.address), delayMs);
  });
  names.bind(0, "127.0.0.1");
  await once(names, "listening");
  const resolver = new Resolver();
  resolver.setServers([`127.0.0.1:${names.address().port}`]);
  return resolver;
}
