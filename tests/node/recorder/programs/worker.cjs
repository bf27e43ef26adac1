const { Worker, MessageChannel } = require("node:worker_threads");
const w = new Worker(
  "const {parentPort}=require('worker_threads'); setTimeout(()=>parentPort.postMessage(1),5)",
  { eval: true },
);
w.on("message", () => console.log("m"));
w.on("exit", () => console.log("x"));
const { port1, port2 } = new MessageChannel();
port2.on("message", () => {
  console.log("mc");
  port1.close();
});
port1.postMessage(1);
