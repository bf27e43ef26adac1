// Service discovery: before each call, the addresses of both families are asked for, in turn.
import { Resolver } from "node:dns/promises";
import { createServer } from "node:http";
import { connect, createServer as listen } from "node:net";
// @ts-expect-error: a module without types
import { nameServer } from "../16/resolver.mjs";

const resolver = new Resolver();
resolver.setServers([await nameServer(25)]);

async function discover(service: string): Promise<string> {
  const six = await resolver.resolve6(service).catch((): string[] => []);
  const four = await resolver.resolve4(service);
  return [...six, ...four][0];
}

const stock = listen((socket) => socket.end("42"));
stock.listen(18220, "127.0.0.1");

createServer(async (_request, response) => {
  const socket = connect(18220, await discover("stock.shop.test"));
  socket.on("error", (error: Error) => response.writeHead(502).end(error.message));
  socket.pipe(response);
}).listen(18120, "127.0.0.1");
