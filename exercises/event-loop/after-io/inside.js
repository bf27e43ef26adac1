// Played in the process of the hand-in. Unix sockets: what is written to one can be read before `write` has returned, so
// two that are written to together are ready in the same poll.
const { setImmediate, setTimeout, nextTick, queueMicrotask, now } = own;
const fs = own.require("node:fs");
const net = own.require("node:net");
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function spin(ms) {
  for (const end = now() + ms; now() < end; );
}

// `count` connections of this process with itself: `near` hears what `far` writes.
async function connections(path, count) {
  const far = [];
  const near = [];
  const server = net.createServer((socket) => far.push(socket));
  await new Promise((resolve) => server.listen(path, resolve));
  for (let i = 0; i < count; i++) {
    near.push(net.connect(path));
    while (far.length <= i) await wait(1);
  }
  const end = () => {
    for (const socket of [...near, ...far]) socket.destroy();
    server.close();
  };
  return { near, far, end };
}

const FROM = {
  "the program": (fn) => fn(),
  "a timer": (fn) => setTimeout(fn, 1),
  "an immediate": (fn) => setImmediate(fn),
  "a tick": (fn) => nextTick(fn),
  "a microtask": (fn) => queueMicrotask(fn),
  "the callback of a file operation": (fn) => fs.stat("/", fn),
};

// Asked from each place for three functions, of which one may throw: what ran, with what, and when.
exports.places = async function places(student, { words, thrower }) {
  const hear = () => {};
  process.on("uncaughtException", hear);
  const seen = [];
  for (const [from, call] of Object.entries(FROM)) {
    const ran = [];
    await new Promise((resolve) => {
      call(() => {
        let returned = false;
        for (const word of words)
          student.afterIO(
            (...given) => {
              ran.push({ given, early: !returned });
              if (word === thrower) throw new Error(word);
            },
            word,
            words.length,
          );
        returned = true;
        resolve();
      });
    });
    for (const end = now() + 1000; now() < end && ran.length < words.length; ) await wait(2);
    await wait(2); // what comes twice
    seen.push({ from, ran });
    if (ran.length < words.length) break;
  }
  process.off("uncaughtException", hear);
  return { seen };
};

// In the callback of the first of two connections that are ready in one poll: what came, in which order.
exports.turn = async function turn(student, { path, words }) {
  const { near, far, end } = await connections(path, 2);
  const came = [];
  await new Promise((resolve) => {
    const ask = () => {
      setTimeout(() => came.push("timer"), 0);
      spin(3); // now it is due
      nextTick(() => came.push("tick"));
      queueMicrotask(() => came.push("microtask"));
      for (const word of words) student.afterIO(() => came.push(word));
      setTimeout(resolve, 25);
    };
    for (const socket of near) socket.on("data", () => came.push("data") === 1 && ask());
    for (const socket of far) socket.write("x");
  });
  end();
  return came;
};

// A function that was put off makes a connection ready and asks for another function.
exports.again = async function again(student, { path }) {
  const { near, far, end } = await connections(path, 2);
  const came = [];
  await new Promise((resolve) => {
    setTimeout(resolve, 500); // what has not come by then does not come
    near[1].on("data", () => came.push("data"));
    near[0].on("data", () =>
      student.afterIO(() => {
        came.push("first");
        far[1].write("x");
        student.afterIO(() => {
          came.push("second");
          setTimeout(resolve, 10);
        });
      }),
    );
    far[0].write("x");
  });
  end();
  return came;
};

// When the loop has nothing left to do: only what is asked for here can keep it alive.
exports.last = async function last(student, { word }, tell) {
  process.once("beforeExit", () => student.afterIO(() => tell("ran", word)));
};

exports.cancel = async function cancel(student, { words, cancelled }) {
  const ran = [];
  let kind;
  await new Promise((resolve) => {
    setImmediate(() => {
      const cancels = words.map((word) => student.afterIO(() => ran.push(word)));
      words.forEach((word, i) => {
        if (typeof cancels[i] !== "function") kind = typeof cancels[i];
        else if (cancelled.includes(word)) cancels[i]();
      });
      setTimeout(resolve, 20);
    });
  });
  return { ran, kind };
};
