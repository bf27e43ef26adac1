import { EventEmitter, on } from "node:events";

const emitter = new EventEmitter();
const emit = () => {
  emitter.emit("item", 1);
  emitter.emit("end");
};
for await (const [item] of (setTimeout(emit, 1), on(emitter, "item", { close: ["end"] })))
  console.log("item", item);
async function* both() {
  yield* (console.log("before"), [1, 2]);
  for (const value of (console.log("again"), [3, 4])) yield value;
}
for await (const value of both()) console.log(value);
