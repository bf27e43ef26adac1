const http = require("node:http");
const s = http.createServer((_q, r) => {
  setTimeout(() => r.end("hello"), 2);
});
s.listen(0, "127.0.0.1", () => {
  let left = 5;
  for (let i = 0; i < 5; i++)
    http.get({ port: s.address().port, host: "127.0.0.1" }, (r) => {
      r.resume();
      r.on("end", () => {
        console.log("end");
        if (--left === 0) s.close(() => console.log("closed"));
      });
    });
});
