const { createServer, connect } = require("node:net");

const compute = (ms) => {
  const until = performance.now() + ms;
  while (performance.now() < until);
};

let clients = 0;
const server = createServer((socket) => {
  const name = `client ${++clients}`;
  console.log(`${name} is let in`);
  socket.once("data", () => {
    compute(5);
    console.log(`${name} is served`);
    if (name === "client 4") process.exit();
  });
});

// Four clients of this very process: when the loop turns first, all of them wait at the door.
server.listen(0, "127.0.0.1", () => {
  for (let i = 0; i < 4; i++) connect(server.address().port, "127.0.0.1").write("me");
});
