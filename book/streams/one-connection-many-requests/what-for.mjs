// Fifty requests at once, each of which waits 40 ms at the server: over one HTTP/1.1 connection, fifty, and one HTTP/2
// connection. What does the server have at a time, what does the kernel, and what does a request cost?
import { print } from "../shared/asking.mjs";
import { inKernel, overOne, overTwo, served } from "./_asking.mjs";

const AT_ONCE = 50;
const ways = {
  "1 × HTTP/1.1": ({ one }) => overOne(one, 1),
  "50 × HTTP/1.1": ({ one }) => overOne(one, AT_ONCE),
  "1 × HTTP/2": ({ two }) => overTwo(two),
};
for (const [connections, open] of Object.entries(ways)) {
  const server = await served();
  const client = await open(server);
  const wave = (path) => Promise.all(Array.from({ length: AT_ONCE }, () => client.ask(path)));
  await wave("/wait/0"); // connects
  const { accepted } = await server.counts(true);
  const since = performance.now();
  await wave("/wait/40");
  const took = performance.now() - since;
  const { most, answered } = await server.counts();
  const sockets = inKernel(server.one) + inKernel(server.two);
  for (let i = 0; i < 10; i++) await wave("/bytes/1000"); // warm
  const { cpuUs } = await server.counts();
  const client0 = process.cpuUsage();
  for (let i = 0; i < 20; i++) await wave("/bytes/1000");
  const { user, system } = process.cpuUsage(client0);
  const cpu = ((await server.counts()).cpuUs - cpuUs) / (20 * AT_ONCE);
  print({
    connections,
    accepted,
    "sockets in the kernel": sockets,
    "most in flight": most,
    answered,
    "all after (ms)": took,
    "server's CPU (µs a request)": cpu,
    "client's CPU (µs a request)": (user + system) / (20 * AT_ONCE),
  });
  client.close();
  await server.stop();
}
