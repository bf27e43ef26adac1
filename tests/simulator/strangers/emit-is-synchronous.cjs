const EventEmitter = require("events");
class Door extends EventEmitter {}
const door = new Door();
door.on("knock", () => console.log("first"));
door.on("knock", () => setImmediate(() => console.log("later")));
door.prependListener("knock", () => console.log("before all"));
door.once("knock", () => console.log("only once"));
console.log("before emit");
door.emit("knock");
door.emit("knock");
console.log("after emit");
