const http = require("node:http");
setTimeout(() => {}, 250);
const server = http.createServer((_request, response) => {
  response.end("hello\n");
  server.close();
});
server.listen(0, "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
