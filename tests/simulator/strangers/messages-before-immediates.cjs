const { port1, port2 } = new MessageChannel();
port2.on("message", (m) => {
  console.log("message", m);
  if (m === 2) port2.close();
});
port1.postMessage(1);
port1.postMessage(2);
setTimeout(() => console.log("timeout"), 0);
setImmediate(() => console.log("immediate"));
process.nextTick(() => console.log("tick"));
queueMicrotask(() => console.log("micro"));
console.log("main");
