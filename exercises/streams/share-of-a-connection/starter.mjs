import { get } from "node:http";
import { createServer } from "node:http2";

const { UPSTREAM = "http://127.0.0.1:8080", PORT = "0" } = process.env;

const server = createServer();
server.on("stream", (stream, headers) => {
  const path = headers[":path"];
  if (path === "/health") {
    stream.respond({ ":status": 200 });
    return stream.end("ok");
  }
  get(UPSTREAM + path, (answer) => {
    stream.respond({ ":status": answer.statusCode });
    answer.pipe(stream);
  });
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
