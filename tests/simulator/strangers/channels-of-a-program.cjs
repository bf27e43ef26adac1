const { channel, subscribe, unsubscribe, hasSubscribers } = require("node:diagnostics_channel");
const orders = channel("orders");
const print = (message, name) => console.log(name, message);
orders.subscribe(print);
orders.publish({ id: 1 });
console.log(orders.hasSubscribers, hasSubscribers("others"), orders.unsubscribe(print));
orders.publish({ id: 2 });
subscribe("others", print);
channel("others").publish("text");
console.log(unsubscribe("others", print), channel("orders") === orders, orders.name);
process.on("uncaughtException", (error) => console.log("uncaught", error.message));
subscribe("failing", () => {
  throw new Error("in a subscriber");
});
channel("failing").publish(1);
console.log("published");
