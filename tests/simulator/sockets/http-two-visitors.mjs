import { createServer, get } from "node:http";
import { setTimeout as wait } from "node:timers/promises";

const server = createServer(async (request, response) => {
  console.log("in:", request.url);
  await wait(request.url === "/slow" ? 300 : 10);
  console.log("out:", request.url);
  response.end("done");
});
const ask = (path) =>
  new Promise((resolve, reject) => {
    get({ port: server.address().port, host: "127.0.0.1", path }, async (response) => {
      console.log(path, (await response.setEncoding("utf8").toArray()).join(""));
      resolve();
    }).on("error", reject);
  });
server.listen(0, "127.0.0.1", async () => {
  await Promise.all([ask("/slow"), ask("/quick")]);
  server.close(() => console.log("closed"));
});
