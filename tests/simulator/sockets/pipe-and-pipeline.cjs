const { connect, createServer } = require("node:net");
const { pipeline, Transform } = require("node:stream");

const upper = new Transform({
  transform(chunk, _, done) {
    done(null, `${chunk}`.toUpperCase());
  },
});
const server = createServer((socket) => {
  pipeline(socket, upper, socket, (error) => {
    console.log("server: pipeline", error?.code);
    server.close();
  });
}).listen(0, "127.0.0.1", () => {
  const client = connect(server.address().port, "127.0.0.1");
  client.on("data", (text) => console.log(`${text}`));
  client.on("end", () => console.log("client: end"));
  client.on("close", () => console.log("client: close"));
  client.write("one ");
  client.write("two ");
  client.cork();
  client.write("three ");
  client.write("four");
  client.uncork();
  client.end();
});
