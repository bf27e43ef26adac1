const { createServer } = require("node:net");

const first = createServer().listen(0, "127.0.0.1", () => {
  const second = createServer();
  second.on("error", ({ code, syscall, address }) => {
    console.log(code, syscall, address);
    first.close(() => console.log("closed", first.address()));
  });
  second.listen(first.address().port, "127.0.0.1", () => console.log("never"));
  console.log("second", second.listening);
});
