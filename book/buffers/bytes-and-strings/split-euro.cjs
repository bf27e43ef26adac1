// Three bytes, one character, two writes: a server that reads each chunk as text, and one that waits for the rest.
const { createServer, connect } = require("node:net");
const { StringDecoder } = require("node:string_decoder");

const euro = Buffer.from("€");
const decoder = new StringDecoder("utf8");

const server = createServer((socket) => {
  socket.on("data", (chunk) => {
    console.log(`chunk.toString(): ${chunk.toString()}`);
    console.log(`decoder.write():  ${decoder.write(chunk) || "(nothing yet)"}`);
  });
  socket.on("end", () => server.close());
});

server.listen(0, "127.0.0.1", () => {
  const client = connect(server.address().port, "127.0.0.1", () => {
    client.setNoDelay(true);
    client.write(euro.subarray(0, 1));
    setTimeout(() => client.end(euro.subarray(1)), 20);
  });
});
