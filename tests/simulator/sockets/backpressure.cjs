const { connect, createServer } = require("node:net");

let total = 0;
const server = createServer((socket) => {
  socket.pause();
  setTimeout(() => socket.resume(), 50);
  socket.on("data", (chunk) => {
    total += chunk.length;
  });
  socket.on("end", () => {
    console.log("server has", total);
    server.close();
  });
}).listen(0, "127.0.0.1", () => {
  const client = connect(server.address().port, "127.0.0.1", () => {
    const isBelow = client.write(Buffer.alloc(2 ** 24), () => console.log("written"));
    console.log("below the mark", isBelow, client.writableNeedDrain, client.writableLength);
    client.once("drain", () => {
      console.log("drain");
      client.end();
    });
  });
  client.on("finish", () => console.log("finish"));
  client.on("close", () => console.log("client: close"));
});
setTimeout(() => console.log("25 ms:", total), 25);
