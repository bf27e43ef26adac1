import { createServer } from "node:http";

let count = 0;
const server = createServer((_request, response) => {
  count += 1;
  response.end(`${count}\n`);
});
server.listen(Number(process.env.PORT ?? 0), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
