// failing-requests.mjs WHAT N: N requests that fail, one after another: WHAT is break (the server's transform breaks)
// or leave (the client closes in the middle). After every tenth: how many descriptors the server has open.
import { get } from "node:http";
import { connect } from "node:net";
import { address, print } from "../shared/asking.mjs";

const [what, many] = [process.argv[2], Number(process.argv[3])];

const open = () =>
  new Promise((resolve, reject) => {
    get({ ...address(), path: "/open", agent: false }, async (response) => {
      let text = "";
      for await (const part of response) text += part;
      resolve(Number(text));
    }).on("error", reject);
  });

const failed = () =>
  new Promise((resolve) => {
    const socket = connect(address());
    const path = what === "break" ? "/break" : "/";
    socket.write(`GET ${path} HTTP/1.1\r\nhost: me\r\nconnection: close\r\n\r\n`);
    socket.on("data", () => what === "leave" && socket.destroy());
    socket.on("error", () => {});
    socket.on("close", resolve);
  });

// The probe in the server opens its own file a tenth of a second after the start.
await new Promise((resolve) => setTimeout(resolve, 300));
const before = await open();
print({ what, requests: 0, left_open: 0 });
for (let i = 1; i <= many; i += 1) {
  await failed();
  if (i % 10) continue;
  let left_open = (await open()) - before;
  // What is being closed gets time to be; what is lost stays.
  for (let j = 0; j < 10 && left_open > 0; j += 1) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    left_open = (await open()) - before;
  }
  print({ what, requests: i, left_open });
}
