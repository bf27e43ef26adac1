import { createReadStream } from "node:fs";
import { createServer, get } from "node:http";
import { pipeline } from "node:stream/promises";

const server = createServer(async (_request, response) => {
  try {
    await pipeline(createReadStream(new URL(import.meta.url)), response);
    console.log("server: sent");
  } catch (error) {
    console.log("server:", error.code);
  }
});
server.listen(0, "127.0.0.1", () => {
  const url = new URL("/file", `http://127.0.0.1:${server.address().port}`);
  console.log(url.pathname, url.searchParams.size, url.protocol);
  get(url, async (response) => {
    let length = 0;
    for await (const part of response) length += part.length;
    console.log("client has all", length > 500);
    server.close();
  });
});
