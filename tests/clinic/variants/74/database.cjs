// A stand-in for a database: a question a line, its rows a line, 15 ms later. `AT_ONCE` questions are worked on at the same time.
const net = require("node:net");

const AT_ONCE = Number(process.env.AT_ONCE || 100);
let working = 0;
const line = [];

function next() {
  while (working < AT_ONCE && line.length > 0) {
    const socket = line.shift();
    working += 1;
    setTimeout(() => {
      working -= 1;
      socket.write(`${JSON.stringify([{ id: 7, title: "Dune" }])}\n`);
      next();
    }, 15);
  }
}

module.exports = net.createServer((socket) => {
  socket.on("error", () => {});
  socket.on("data", () => {
    line.push(socket);
    next();
  });
});
