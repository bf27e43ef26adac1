// A page, its style and its icon; everything else is not found.
const http = require("node:http");

const pages = {
  "/": ["text/html", "<!doctype html><title>Shop</title><h1>Shop</h1>"],
  "/style.css": ["text/css", "h1 { color: green }"],
};

const server = http.createServer((req, res) => {
  const page = pages[req.url];
  if (!page) {
    res.statusCode = 404;
    return res.end("Not found");
  }
  if (req.method !== "GET" && req.method !== "HEAD") {
    res.statusCode = 405;
    return res.end();
  }
  res.setHeader("Content-Type", page[0]);
  res.setHeader("Cache-Control", "max-age=60");
  res.end(page[1]);
});
server.keepAliveTimeout = 1000;
server.listen(process.env.PORT || 18159, () => {
  console.log(`Server is listening on port ${server.address().port}`);
});
