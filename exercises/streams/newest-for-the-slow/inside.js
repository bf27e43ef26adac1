// Responses that are full when the scene says so, and note what is written to them.
const { setImmediate } = own;
const EventEmitter = own.require("node:events");
const collect = globalThis.gc;
const { memoryUsage } = process;
// The responses are in the hand-in's hands, and may get methods of its own.
const { emit, listenerCount } = EventEmitter.prototype;
const turns = async (n) => {
  for (let i = 0; i < n; i++) await new Promise((resolve) => setImmediate(resolve));
};

// steps, in this order: {add: n, room} (the room-th call of write returns false), {send: data}, {drain: n, room}, {close: n}. Or
// {fill: count, bytes}: so many events of so many bytes. In the end: what was written to each client, and after which step, and the bytes
// by which the memory has grown since the first step, after a garbage collection.
exports.play = async function play(student, { steps }) {
  const hub = student.createHub();
  for (const name of ["add", "send"]) if (typeof hub?.[name] !== "function") return { lacks: name };
  const clients = new Map();
  let step = 0;
  const client = (room) => {
    const self = { response: new EventEmitter(), room, writes: [] };
    self.response.writableNeedDrain = false;
    self.response.write = (text) => {
      const string = String(text);
      // Of long texts the beginning is noted, so short that V8 copies it and lets go of the text.
      const noted = string.length > 300 ? `${string.slice(0, 8)}…` : string;
      self.writes.push({ text: noted, step, isFull: self.room <= 0 });
      self.room -= 1;
      self.response.writableNeedDrain = self.room <= 0;
      return self.room > 0;
    };
    return self;
  };
  const inUse = () => {
    collect?.();
    const { heapUsed, external } = Reflect.apply(memoryUsage, process, []);
    return heapUsed + external;
  };
  const before = inUse();
  for (const { add, send, drain, close, fill, bytes, room = 1e9 } of steps) {
    if (add !== undefined) {
      clients.set(add, client(room));
      hub.add(clients.get(add).response);
    } else if (drain !== undefined) {
      const self = clients.get(drain);
      self.room = room;
      self.response.writableNeedDrain = false;
      Reflect.apply(emit, self.response, ["drain"]);
    } else if (close !== undefined) {
      const self = clients.get(close);
      self.response.destroyed = true;
      Reflect.apply(emit, self.response, ["close"]);
    } else if (fill !== undefined)
      for (let n = 0; n < fill; n++) hub.send({ n, text: "x".repeat(bytes) });
    else hub.send(send);
    await turns(2);
    step += 1;
  }
  const count = ({ response }, event) => Reflect.apply(listenerCount, response, [event]);
  return {
    grown: inUse() - before,
    clients: Object.fromEntries(
      [...clients].map(([n, self]) => [
        n,
        { writes: self.writes, listeners: count(self, "drain") + count(self, "close") },
      ]),
    ),
  };
};
