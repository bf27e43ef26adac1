// Takes an uploaded text, and refuses it if a character arrived broken; HOW says how its bytes become a string.
// The book uses it to show that a chunk of bytes is not a piece of text.
import { createServer } from "node:http";

const { HOW = "setEncoding", PORT = "0" } = process.env;

const ways = {
  add: (request, done) => {
    let text = "";
    request.on("data", (chunk) => {
      text += chunk;
    });
    request.on("end", () => done(text));
  },
  setEncoding: (request, done) => ways.add(request.setEncoding("utf8"), done),
  concat: (request, done) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => done(Buffer.concat(chunks).toString()));
  },
};

const server = createServer((request, response) => {
  ways[HOW](request, (text) => {
    const broken = text.split("\ufffd").length - 1; // what a decoder writes for bytes that are no text
    response.statusCode = broken === 0 ? 200 : 422;
    response.setHeader("content-type", "text/plain; charset=utf-8");
    response.end(`${broken} broken\n`);
  });
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
