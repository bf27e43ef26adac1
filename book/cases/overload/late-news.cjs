const { createServer, connect } = require("node:net");

const compute = (ms) => {
  const until = performance.now() + ms;
  while (performance.now() < until);
};

const server = createServer((socket) => {
  socket.on("data", (name) => {
    compute(40);
    console.log(`${name} is served`);
  });
});

// How late is the loop? A timer of 50 ms finds out.
const watch = () => {
  const due = performance.now() + 50;
  setTimeout(() => {
    const late = performance.now() - due;
    console.log(late > 30 ? "the loop was late" : "the loop is on time");
    process.exit();
  }, 50);
};

// Three clients of this very process, let in one after the other. Then all ask at once.
server.listen(0, "127.0.0.1", async () => {
  const clients = [];
  for (const name of ["A", "B", "C"]) {
    const client = connect(server.address().port, "127.0.0.1");
    await new Promise((resolve) => server.once("connection", resolve));
    clients.push([client, name]);
  }
  for (const [client, name] of clients) client.write(name);
  watch();
});
