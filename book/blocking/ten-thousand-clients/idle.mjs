// idle.mjs MANY…: so many clients keep a connection and ask for nothing. How long does the ping of one more take?
import { median, print } from "../../streams/shared/asking.mjs";
import { counts, crowd } from "./_clients.mjs";

const PINGS = 300;
const { clients, ask, upTo, leave } = crowd();
for (const many of counts(process.argv.slice(2))) {
  await upTo(many + 1);
  const took = [];
  for (let n = 0; n < PINGS; n++) took.push(await ask(clients[0], "/ping"));
  print({ "idle clients": many, "a ping (µs)": 1000 * median(took) });
}
leave();
