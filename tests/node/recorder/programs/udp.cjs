const d = require("node:dgram").createSocket("udp4");
d.bind(0, "127.0.0.1", () => {
  d.send("x", d.address().port, "127.0.0.1", () => console.log("sent"));
});
d.on("message", () => {
  console.log("msg");
  d.close(() => console.log("closed"));
});
