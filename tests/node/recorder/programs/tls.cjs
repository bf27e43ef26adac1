const tls = require("node:tls");
const s = tls.createServer({}).listen(0, "127.0.0.1", () => {
  const c = tls.connect({ port: s.address().port, host: "127.0.0.1", rejectUnauthorized: false });
  c.on("error", (_e) => {
    console.log("err");
    s.close();
  });
});
s.on("tlsClientError", () => console.log("ce"));
