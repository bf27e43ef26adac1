// Played in the process of the hand-in: a port to a thread that answers when the check says so. Steps are done one after the other;
// after each the state is noted: what was posted, and what became of the promises.
const { setImmediate } = own;
const { EventEmitter, getEventListeners } = own.require("node:events");
const { emit, listenerCount } = EventEmitter.prototype;
const Failure = Error;
const Giver = AbortController;
const abortNow = Giver.prototype.abort;
const turns = async () => {
  for (let i = 0; i < 4; i++) await new Promise((resolve) => setImmediate(resolve));
};

exports.play = async function play(student, { steps, share }) {
  const posted = [];
  const outcomes = {};
  const givers = {};
  const port = new EventEmitter();
  port.postMessage = (message) => {
    posted.push({ sql: message?.sql, params: message?.params });
  };
  const says = (name, ...values) => Reflect.apply(emit, port, [name, ...values]);
  const query = student.client(port);
  if (typeof query !== "function") return { kind: typeof query };
  const shared = new Giver();
  const after = [];
  for (const { ask, answer, fails, abort, close } of steps) {
    if (ask) {
      const giver = share ? shared : new Giver();
      givers[ask] = giver;
      if (abort) Reflect.apply(abortNow, giver, [abort]);
      let promise;
      try {
        promise = query(ask, [ask], { signal: giver.signal });
      } catch (error) {
        promise = Promise.reject(error);
      }
      Promise.resolve(promise).then(
        (rows) => {
          outcomes[ask] = { rows };
        },
        (error) => {
          outcomes[ask] = { error: typeof error === "string" ? error : String(error?.message) };
          outcomes[ask].kind = error instanceof Failure ? "Error" : typeof error;
        },
      );
    } else if (abort) Reflect.apply(abortNow, givers[abort], [`given up: ${abort}`]);
    else if (answer) says("message", { rows: [answer] });
    else if (fails) says("message", { error: fails });
    else if (close) says("close");
    await turns();
    after.push({ posted: posted.map(({ sql }) => sql), outcomes: { ...outcomes } });
  }
  const counted = (name) => Reflect.apply(listenerCount, port, [name]);
  return {
    after,
    posted,
    port: counted("message") + counted("close"),
    signal: getEventListeners(shared.signal, "abort").length,
  };
};
