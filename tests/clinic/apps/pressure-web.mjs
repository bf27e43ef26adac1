// missing backpressure: a Web Stream is filled at its start, with all that there is; in Express

import { Readable } from "node:stream";
import express from "express";

const chunk = new TextEncoder().encode("x".repeat(65_536));
const app = express();
app.get("/", (_request, response) => {
  const body = new ReadableStream({
    start(controller) {
      for (let i = 0; i < 120; i++) controller.enqueue(chunk.slice());
      controller.close();
    },
  });
  Readable.fromWeb(body).pipe(response);
});
app.listen(Number(process.env.PORT), "127.0.0.1");
