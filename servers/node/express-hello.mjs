// The same line of text as node/hello, through Express 5.
// The book uses it for what routing, middleware and conveniences cost per request.
import express from "express";

const { PORT = "0" } = process.env;

const app = express();
// Off, so that the answer has the headers of node/hello: the arms differ in the framework alone.
app.disable("x-powered-by");
app.disable("etag");
app.get("/", (_request, response) => {
  response.type("text/plain").send("hello world\n");
});

const server = app.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
