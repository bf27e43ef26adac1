const { port1, port2 } = new MessageChannel();
port1.on("message", (message) => {
  console.log("got", message);
  port1.close();
});
port1.on("close", () => console.log("closed"));
port2.on("close", () => console.log("never"));
port2.postMessage({ list: new Set([1]) });
setImmediate(() => console.log("immediate"));
