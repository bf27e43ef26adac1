// Downloads, packed off the loop; the script that starts it leaves one thread to do that.
const { createServer } = require("node:http");
const { gzip } = require("node:zlib");
const { stat } = require("node:fs");

const table = JSON.stringify(
  Array.from({ length: 6_000 }, (_, n) => ({ n, root: Math.sqrt(n), word: n.toString(36) })),
);

const server = createServer((_request, response) => {
  stat(__filename, (_error, found) => {
    response.setHeader("last-modified", found.mtime.toUTCString());
    gzip(table, (_failed, packed) => {
      response.setHeader("content-encoding", "gzip");
      response.end(packed);
    });
  });
});
server.listen(process.env.PORT || 18114, "127.0.0.1");
