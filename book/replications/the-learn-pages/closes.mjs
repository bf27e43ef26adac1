// Who emits 'close' of a socket: the loop's close phase, or process.nextTick()?
import { connect, createServer } from "node:net";

const server = createServer((socket) => socket.resume().on("end", () => socket.end()));
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
const closed = (how) =>
  new Promise((resolve) => {
    const socket = connect(server.address().port, "127.0.0.1", () => socket[how]());
    socket.resume();
    socket.on("close", () => {
      const ticks = new Error().stack.includes("processTicksAndRejections");
      resolve({
        closed: `socket.${how}()`,
        "'close' comes from": ticks ? "process.nextTick()" : "the close phase",
      });
    });
  });
for (const how of ["destroy", "end"]) console.log(JSON.stringify(await closed(how)));
server.close();
