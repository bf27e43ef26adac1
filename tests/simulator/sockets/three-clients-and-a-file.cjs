const { readFile } = require("node:fs");
const { connect, createServer } = require("node:net");

let count = 0;
const server = createServer((socket) => {
  const name = ++count;
  console.log("in", name);
  socket.once("data", (text) => {
    console.log("asked", name, `${text}`);
    setTimeout(() => socket.end(`answer ${name}`), 10 * name);
  });
}).listen(0, "127.0.0.1", () => {
  let open = 3;
  for (const letter of "abc") {
    const client = connect(server.address().port, "127.0.0.1", () =>
      console.log("connected", letter),
    );
    client.write(letter);
    client.on("data", (text) => console.log(letter, `${text}`));
    client.on("close", () => {
      console.log("closed", letter);
      if (--open === 0) server.close(() => readFile(__filename, () => console.log("read")));
    });
  }
});
