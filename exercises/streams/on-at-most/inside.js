// Events come and loops turn when the scene says; turns are counted, and no time.
const { setImmediate } = own;
const EventEmitter = own.require("node:events");
// The emitter is in the hand-in's hands, and may get methods of its own.
const { emit, listenerCount } = EventEmitter.prototype;
const turn = () => new Promise((resolve) => setImmediate(resolve));
const turns = async (n) => {
  for (let i = 0; i < n; i++) await turn();
};

// steps: {emit: value}, {fail: message}, {take: n} (asks n times), {leave: true} (a break), in this order.
exports.play = async function play(student, { name, most, steps }) {
  const emitter = new EventEmitter();
  const iterable = student.latest(emitter, name, most);
  if (typeof iterable?.[Symbol.asyncIterator] !== "function") return { kind: typeof iterable };
  const iterator = iterable[Symbol.asyncIterator]();
  const got = [];
  const uncaught = [];
  for (const { emit: event, fail, take, leave } of steps) {
    if (event !== undefined) Reflect.apply(emit, emitter, [name, event, "another argument"]);
    else if (fail !== undefined) {
      try {
        Reflect.apply(emit, emitter, ["error", new Error(fail)]);
      } catch (error) {
        uncaught.push(error.message);
      }
    } else if (leave) {
      let over = false;
      Promise.resolve(iterator.return?.()).then(() => {
        over = true;
      });
      await turns(10);
      got.push({ left: over });
    } else
      for (let i = 0; i < take; i++) {
        const one = {};
        got.push(one);
        Promise.resolve(iterator.next()).then(
          ({ value, done }) => Object.assign(one, done ? { done } : { value }),
          (error) => Object.assign(one, { error: error?.message }),
        );
        await turns(5);
      }
    await turns(2);
  }
  const count = (event) => Reflect.apply(listenerCount, emitter, [event]);
  return {
    got,
    uncaught,
    dropped: iterable.dropped,
    listeners: count(name) + count("error"),
    of: { [name]: count(name), error: count("error") },
  };
};
