import { createRequire, isBuiltin } from "node:module";
import { isMainThread, MessageChannel, receiveMessageOnPort, threadId } from "node:worker_threads";

const require = createRequire(import.meta.url);
const { port1, port2 } = new MessageChannel();
port1.postMessage({ list: [1, 2] });
console.log(receiveMessageOnPort(port2), receiveMessageOnPort(port2), isMainThread, threadId);
console.log(require("node:path").sep, isBuiltin("fs"), require.main);
try {
  createRequire("relative");
} catch (error) {
  console.log(error.code, error.message);
}
port2.on("message", (message) => {
  console.log("got", message);
  port2.close();
});
port1.on("close", () => console.log("closed"));
port1.postMessage("last");
