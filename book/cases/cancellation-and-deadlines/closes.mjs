// When do a request and its response say "close"? One client gets its answer after 200 ms, another one leaves after 100. The
// body of the request is read at once, or not at all.
import { once } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

for (const reads of [false, true])
  for (const leaves of [false, true]) {
    const at = { request: "never", response: "never" };
    let finished;
    const server = createServer(async (request, response) => {
      const began = performance.now();
      const moment = () =>
        ["at once", "when it leaves", "with the answer"][
          [50, 150, Infinity].findIndex((ms) => performance.now() - began < ms)
        ];
      request.on("error", () => {}); // of a client that has left
      request.on("close", () => (at.request = moment()));
      response.on("close", () => {
        at.response = moment();
        finished = response.writableFinished;
      });
      if (reads) request.resume();
      await sleep(200);
      response.end("answer");
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const socket = connect(server.address().port, "127.0.0.1");
    socket.write("POST / HTTP/1.1\r\nhost: me\r\nconnection: close\r\ncontent-length: 2\r\n\r\nhi");
    socket.on("error", () => {}).resume();
    if (leaves) setTimeout(() => socket.destroy(), 100);
    await sleep(350);
    console.log(
      JSON.stringify({
        "the client": leaves ? "leaves" : "waits",
        "the body": reads ? "read" : "not read",
        "request closes": at.request,
        "response closes": at.response,
        writableFinished: finished,
      }),
    );
    server.close();
  }
