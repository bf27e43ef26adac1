// A shop asks its billing service by name; each new connection asks the name server again.
import { Resolver } from "node:dns";
import http from "node:http";
import { nameServer } from "./resolver.mjs";

const resolver = new Resolver();
resolver.setServers([await nameServer(80)]);
function lookup(name, options, done) {
  resolver.resolve4(name, (error, addresses) => {
    if (error) return done(error);
    if (options.all) return done(null, [{ address: addresses[0], family: 4 }]);
    done(null, addresses[0], 4);
  });
}

const billing = http.createServer((_req, res) => res.end('{"paid":true}'));
billing.listen(18216, "127.0.0.1");

const shop = http.createServer((_req, res) => {
  const ask = { host: "billing.shop.test", port: 18216, lookup, agent: false };
  http
    .get(ask, (answer) => answer.pipe(res))
    .on("error", (error) => res.writeHead(502).end(error.message));
});
shop.listen(18116, "127.0.0.1");
