// Makes STEPS look-ups of something that is there before it answers; STYLE says how it waits for each.
// The book uses it for what callbacks, promises and await cost where there is nothing to wait for.
import { createServer } from "node:http";

const { PORT = "0", STYLE = "await", STEPS = "1" } = process.env;
const steps = Number(STEPS);
const present = { answer: 42 };

const lookUp = () => present.answer;
const lookUpLater = (done) => process.nextTick(done, present.answer);
const lookUpPromised = async () => present.answer;

// styles
const calls = (done) => {
  for (let i = 0; i < steps; i++) lookUp();
  done();
};
const callbacks = (done, i = 0) => {
  if (i === steps) done();
  else lookUpLater(() => callbacks(done, i + 1));
};
const promises = (done) => {
  let last = Promise.resolve();
  for (let i = 0; i < steps; i++) last = last.then(lookUpPromised);
  last.then(done);
};
const awaits = async (done) => {
  for (let i = 0; i < steps; i++) await lookUpPromised();
  done();
};
// end of the styles

const work = { calls, callbacks, promises, await: awaits }[STYLE];
if (!work) throw new Error(`STYLE=${STYLE}: calls, callbacks, promises or await`);

const server = createServer((_request, response) => {
  work(() => {
    response.setHeader("content-type", "text/plain; charset=utf-8");
    response.end("looked up\n");
  });
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
