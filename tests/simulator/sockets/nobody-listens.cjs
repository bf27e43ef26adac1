const { connect, createServer } = require("node:net");

const gone = createServer();
gone.listen(0, "127.0.0.1", () => {
  const { port } = gone.address();
  gone.close(() => {
    console.log("closed");
    const socket = connect(port, "127.0.0.1");
    socket.on("error", ({ code, syscall, errno }) => console.log(code, syscall, errno));
    socket.on("close", (failed) => console.log("close", failed));
    socket.write("lost", (error) => console.log("write:", error.code));
    setImmediate(() => console.log("immediate"));
    process.nextTick(() => console.log("tick"));
  });
});
gone.on("close", () => console.log("close event"));
