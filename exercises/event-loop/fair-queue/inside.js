// The clock belongs to the scene: only `work` lets time pass, as much as its item says, so a busy machine changes nothing. Turns
// are real: two ends of a connection of this process with itself answer each other without pause, one message a poll.
const { setImmediate, setTimeout } = own;
const net = own.require("node:net");
const RealDate = Date;
const EPOCH = 1_700_000_000_000;
let now = 5000;

exports.prepare = () => {
  performance.now = () => now;
  process.hrtime = Object.assign(() => [Math.floor(now / 1000), Math.floor((now % 1000) * 1e6)], {
    bigint: () => BigInt(Math.floor(now * 1e6)),
  });
  class VirtualDate extends RealDate {
    constructor(...given) {
      if (given.length === 0) super(Math.floor(EPOCH + now));
      else super(...given);
    }
    static now() {
      return Math.floor(EPOCH + now);
    }
  }
  globalThis.Date = VirtualDate;
};

let polls = 0;
let echo;
async function echoes(path) {
  if (echo) return;
  const answer = (socket) => {
    socket.on("data", () => {
      polls++;
      socket.write("x");
    });
  };
  const server = net.createServer(answer);
  await new Promise((resolve) => server.listen(path, resolve));
  echo = net.connect(path);
  answer(echo);
  echo.write("x");
  while (polls < 4) await new Promise((resolve) => setTimeout(resolve, 1));
}

// Adds items and waits until all are settled, or nothing more happens. costs: ms of each item; `throws`: those that throw;
// `chain`: so many more are added, each by the work of the one before. Every item: when begun, after how many polls, what came of it.
exports.work = async function work(
  student,
  { path, budget, costs, words, throws = [], chain = 0 },
) {
  await echoes(path);
  const begun = [];
  const outcomes = costs.map(() => null);
  let settled = 0;
  let extra = 0;
  let returned = false;
  let checked = false; // whether the check phase had begun
  const queue = student.fairQueue((item) => {
    begun.push({ item, at: now, polls, checked, early: !returned });
    now += item < costs.length ? costs[item] : costs[0];
    if (extra < chain) {
      extra++;
      settle(queue(costs.length + extra - 1), costs.length + extra - 1);
    }
    if (throws.includes(item)) throw new Error(words[item]);
    return words[item];
  }, budget);
  if (typeof queue !== "function") return { kind: typeof queue };
  const settle = (promise, item) =>
    Promise.resolve(promise).then(
      (value) => {
        settled++;
        outcomes[item] = { value };
      },
      (error) => {
        settled++;
        outcomes[item] = { error: error?.message };
      },
    );
  await new Promise((resolve) => {
    setImmediate(() => {
      setImmediate(() => {
        checked = true;
      });
      costs.forEach((_, item) => {
        settle(queue(item), item);
      });
      returned = true;
      resolve();
    });
  });
  const all = costs.length + chain;
  let still = 0;
  for (let before = -1; settled < all && still < 40; before = begun.length) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    still = begun.length === before ? still + 1 : 0;
  }
  return { begun, outcomes, settled };
};
