// Preloaded into a foreign load tool (node --require): no name is looked up outside this machine.
// artillery asks for its telemetry host even with telemetry switched off, and waits for the answer.
const dns = require("node:dns");

const here = new Set(["localhost", "127.0.0.1", "::1"]);
const lookup = dns.lookup;

dns.lookup = function (hostname, ...rest) {
  if (here.has(hostname)) return lookup.call(this, hostname, ...rest);
  const callback = rest.at(-1);
  const error = Object.assign(new Error(`${hostname} is not on this machine`), {
    code: "ENOTFOUND",
    syscall: "getaddrinfo",
    hostname,
  });
  process.nextTick(callback, error);
};
