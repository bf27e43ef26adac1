const { createServer } = require("node:http");
const { connect } = require("node:net");

const server = createServer((request, response) => {
  console.log(request.method, request.url, request.headers);
  request.on("data", (part) => console.log("body", `${part}`));
  request.on("end", () => {
    response.sendDate = false;
    response.end(`${request.url}\n`);
  });
});
server.on("clientError", (error, socket) => {
  console.log(error.code, error.message);
  socket.end("HTTP/1.1 400 Bad Request\r\n\r\n");
});
server.listen(0, "127.0.0.1", () => {
  const socket = connect(server.address().port, "127.0.0.1").setEncoding("utf8");
  let text = "";
  socket.on("data", (part) => {
    text += part;
  });
  socket.on("close", () => {
    console.log(text);
    server.close();
  });
  const pieces = [
    "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhel",
    "loGET /b HTTP/1.1\r\nHost: x\r\nX-A: 1\r\nx-a: 2\r\n\r\n",
    "GET /c HTTP/1.1\r\nHo",
    "st: x\r\n\r\n",
    "WHAT is this\r\n\r\n",
  ];
  const next = () => {
    const piece = pieces.shift();
    if (!piece) return;
    socket.write(piece);
    setTimeout(next, 25);
  };
  socket.on("connect", next);
});
