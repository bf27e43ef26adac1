// slow look-ups: every request opens a new connection to a service whose name takes long to find
import http from "node:http";

const service = http.createServer((_request, response) => response.end("price: 7"));
service.listen(0, "127.0.0.1");
const lookup = (_name, options, done) => {
  const found = options.all ? [[{ address: "127.0.0.1", family: 4 }]] : ["127.0.0.1", 4];
  setTimeout(done, 50, null, ...found);
};
const server = http.createServer((_request, response) => {
  const { port } = service.address();
  http.get({ host: "prices.test", port, lookup, agent: false }, (answer) => answer.pipe(response));
});
server.listen(Number(process.env.PORT), "127.0.0.1");
