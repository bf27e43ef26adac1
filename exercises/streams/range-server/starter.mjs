import { readFile } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";

const { FOLDER = ".", PORT = "0" } = process.env;

const server = createServer((request, response) => {
  readFile(join(FOLDER, request.url), (error, content) => {
    if (error) return response.writeHead(404).end();
    response.setHeader("content-type", "application/octet-stream");
    response.end(content);
  });
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
