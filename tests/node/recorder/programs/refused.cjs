const net = require("node:net");
net
  .connect(1, "127.0.0.1")
  .on("error", (e) => console.log(e.code))
  .on("close", () => console.log("close"));
const s = net
  .createServer((c) => {
    c.on("error", () => {});
    c.destroy();
  })
  .listen(0, () => {
    const c = net.connect(s.address().port);
    c.write("x".repeat(1e6), () => console.log("w"));
    c.on("error", (_e) => console.log("e"));
    c.on("close", () => {
      console.log("c");
      s.close();
    });
  });
