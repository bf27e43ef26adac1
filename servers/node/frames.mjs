// Answers over HTTP, and speaks frames after an upgrade (GET /list, GET /concat ...): counts them until the client ends.
// The book uses it to feed parsers over TCP, whole and byte by byte, and to see what a hostile length does.
import { createServer } from "node:http";
import { parsers } from "./frame-parsers.mjs";

const { PORT = "0" } = process.env;

const server = createServer((request, response) => {
  const { arrayBuffers } = process.memoryUsage();
  response.setHeader("content-type", "text/plain; charset=utf-8");
  response.end(request.url === "/memory" ? `${arrayBuffers}\n` : "frames\n");
});

server.on("upgrade", (request, socket, head) => {
  socket.on("error", () => socket.destroy());
  const name = request.url.slice(1);
  if (!Object.hasOwn(parsers, name))
    return socket.end("HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
  const got = { chunks: 0, frames: 0, bytes: 0, wrong: 0 };
  const parse = parsers[name]((payload) => {
    const mark = got.frames % 256; // the client fills each frame with its number
    if (payload.length > 0 && (payload[0] !== mark || payload.at(-1) !== mark)) got.wrong += 1;
    got.frames += 1;
    got.bytes += payload.length;
  });
  const take = (chunk) => {
    got.chunks += 1;
    try {
      parse(chunk);
    } catch (error) {
      socket.removeAllListeners("data").end(JSON.stringify({ ...got, error: error.message }));
      socket.resume();
    }
  };
  socket.write(
    "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: frames\r\n\r\n",
  );
  if (head.length > 0) take(head);
  socket.on("data", take);
  socket.on("end", () => socket.end(JSON.stringify(got)));
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
