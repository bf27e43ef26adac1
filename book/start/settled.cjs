const { pbkdf2Sync } = require("node:crypto");
const { connect, createServer } = require("node:net");

const handler = async () => {
  for (const slice of [1, 2, 3]) {
    pbkdf2Sync("a text", "salt", 5000, 32, "sha256");
    console.log(`slice ${slice} is hashed`);
    await Promise.resolve();
  }
  console.log("all is hashed");
};

const server = createServer((socket) => {
  socket.on("data", () => {
    console.log("the ping is answered");
    process.exit();
  });
});

server.listen(0, "127.0.0.1", () => {
  const client = connect(server.address().port, "127.0.0.1", () => {
    client.write("ping");
    handler();
    console.log("the handler has returned");
  });
});
