// Clients that note what is written to them, and in which turn of the loop. Turns are counted, and no time.
const { setImmediate, setTimeout } = own;
const { nodeTiming } = own.require("node:perf_hooks").performance;
const { getActiveResourcesInfo } = process;
const turn = () => new Promise((resolve) => setImmediate(resolve));
const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// steps, in this order: {add: n}, {remove: n}, {send: text}, {until: n} (so many writes). Otherwise the loop does not turn
// between two steps. `writes`: how many are waited for in the end.
exports.play = async function play(student, { most, steps, writes }) {
  const log = [];
  const clients = new Map();
  const client = (n) => {
    const write = (text) => {
      log.push({ client: n, text: String(text), turn: nodeTiming.uvMetricsInfo.loopCount });
      return true;
    };
    if (!clients.has(n)) clients.set(n, { write });
    return clients.get(n);
  };
  const hub = student.createHub(most);
  for (const name of ["add", "remove", "send"])
    if (typeof hub?.[name] !== "function") return { lacks: name };
  await turn();
  const until = async (many) => {
    for (let n = 0; n < 400 && log.length < many; n++) await (n < 100 ? turn() : later(2));
  };
  const hadOnLeaving = {};
  for (const { add, remove, send, until: many } of steps) {
    if (add !== undefined) hub.add(client(add));
    else if (many !== undefined) await until(many);
    else if (remove !== undefined) {
      hadOnLeaving[remove] = log.filter((write) => write.client === remove).length;
      hub.remove(client(remove));
    } else hub.send(send);
  }
  await until(writes);
  for (let n = 0; n < 5; n++) await turn();
  const left = Reflect.apply(getActiveResourcesInfo, process, []);
  const set = left.filter((kind) => kind === "Immediate" || kind === "Timeout").length;
  return { log, hadOnLeaving, left: set };
};
