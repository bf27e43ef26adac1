// so-many.mjs CONNECTIONS: fifty requests at once, each of which waits 40 ms, over so many HTTP/1.1 connections.
import { print } from "../shared/asking.mjs";
import { inKernel, overOne, served } from "./_asking.mjs";

const server = await served();
const { ask, close } = overOne(server.one, Number(process.argv[2]));
const wave = (path) => Promise.all(Array.from({ length: 50 }, () => ask(path)));
await wave("/wait/0"); // connects
const since = performance.now();
await wave("/wait/40");
const took = performance.now() - since;
print({ "all after (ms)": took, "sockets in the kernel": inKernel(server.one) });
close();
await server.stop();
