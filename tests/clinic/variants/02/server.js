// A page that says which build runs: it asks another program each time, with execFileSync.
const http = require("node:http");
const { execFileSync } = require("node:child_process");

function build() {
  const words = execFileSync("uname", ["-sr"], { encoding: "utf8" });
  return words.trim();
}

const server = http.createServer((request, response) => {
  if (request.url !== "/version") {
    response.writeHead(404).end();
    return;
  }
  response.setHeader("content-type", "text/plain");
  response.end(`running on ${build()}\n`);
});

server.listen(18102, "127.0.0.1");
