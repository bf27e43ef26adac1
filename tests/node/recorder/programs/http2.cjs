const h = require("node:http2");
const s = h.createServer();
s.on("stream", (st) => {
  st.respond({ ":status": 200 });
  st.end("hi");
});
s.listen(0, "127.0.0.1", () => {
  const c = h.connect(`http://127.0.0.1:${s.address().port}`);
  const r = c.request({ ":path": "/" });
  r.on("data", () => console.log("data"));
  r.on("end", () => {
    console.log("end");
    c.close();
    s.close();
  });
  r.end();
});
