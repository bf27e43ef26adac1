const EventEmitter = require("events");
class Service extends EventEmitter {
  constructor() {
    super();
    this.emit("ready", "too early");
    process.nextTick(() => this.emit("ready", "in a tick"));
  }
}
new Service().on("ready", (when) => console.log("ready", when));
