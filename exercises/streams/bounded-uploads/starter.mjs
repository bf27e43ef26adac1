import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { basename, join } from "node:path";

const { FOLDER = ".", PORT = "0" } = process.env; // LIMIT is also set

const server = createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray());
  await writeFile(join(FOLDER, basename(request.url)), body);
  response.writeHead(201).end();
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
