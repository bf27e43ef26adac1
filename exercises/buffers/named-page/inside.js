// Servers in the process of the hand-in: one that answers over the network, and one whose connections take nothing until they are let.
const { createServer } = own.require("node:http");
const { Duplex, Writable } = own.require("node:stream");
const { getHeapSpaceStatistics, getHeapStatistics } = own.require("node:v8");
const { setImmediate } = own;

// Bytes in long strings, and in Buffers.
const taken = () => ({
  strings: getHeapSpaceStatistics()
    .filter(({ space_name }) => space_name.includes("large_object"))
    .reduce((sum, { space_used_size }) => sum + space_used_size, 0),
  buffers: getHeapStatistics().external_memory,
});
const growth = [];
let greet;
let next;

exports.listen = async function listen(student, { page, name }) {
  greet = student.greeter(page);
  next = name;
  const server = createServer(async (_request, response) => {
    const given = await next();
    const before = taken();
    response.on("finish", () =>
      setImmediate(() => {
        const after = taken();
        growth.push({
          strings: after.strings - before.strings,
          buffers: after.buffers - before.buffers,
        });
      }),
    );
    greet(response, given);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server.address().port;
};
exports.growth = async () => {
  await new Promise((resolve) => setImmediate(resolve));
  return growth.splice(0);
};

// A connection on which nothing leaves before `open`: whatever is to be sent is held as it was given, as in a full socket. It is the
// socket of a response, so the hand-in has it: what is noted is noted where only the scene sees it.
class Slow extends Duplex {
  #held = [];
  #sent = [];
  #isOpen = false;
  static noted = (slow) => ({ held: slow.#held, sent: slow.#sent });
  static open = (slow) => {
    slow.#isOpen = true;
    slow.#flush();
  };
  _read() {}
  _write(chunk, _encoding, done) {
    this.#held.push({ chunk, done });
    if (this.#isOpen) this.#flush();
  }
  #flush() {
    for (const { chunk, done } of this.#held.splice(0)) {
      this.#sent.push(Buffer.from(chunk).toString("latin1"));
      done();
    }
  }
  setTimeout() {}
  setNoDelay() {}
  setKeepAlive() {}
}
// Taken away before the hand-in can reach the class.
const { noted, open } = Slow;
delete Slow.noted;
delete Slow.open;
const { get: isFinished } = Object.getOwnPropertyDescriptor(Writable.prototype, "writableFinished");
const finished = (connection) => Reflect.apply(isFinished, connection, []);

// Everybody asks before anything leaves; then all is let go. What each of them got, as bytes.
exports.slowly = async function slowly(student, { page, names }) {
  const say = student.greeter(page);
  const server = createServer((request, response) =>
    say(response, names[Number(request.url.slice(1))]),
  );
  const connections = names.map((_, i) => {
    const connection = new Slow();
    server.emit("connection", connection);
    connection.push(`GET /${i} HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n`);
    return connection;
  });
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const waits = (connection) => noted(connection).held.length === 0;
  for (let i = 0; i < 20 || (i < 2000 && connections.some(waits)); i++) await turn();
  for (const connection of connections) open(connection);
  for (let i = 0; i < 2000 && !connections.every(finished); i++) await turn();
  return connections.map((connection) => Buffer.from(noted(connection).sent.join(""), "latin1"));
};
