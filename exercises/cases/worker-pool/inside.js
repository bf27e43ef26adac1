// A pool, played: its jobs are begun here, what becomes of them is told. Every Worker that is made is noted.
const { EventEmitter, getEventListeners } = own.require("node:events");
const { Worker } = own.require("node:worker_threads");
const made = [];

// A Worker is the hand-in's, and may say what it wants of itself: Node's own answers are asked for.
const { eventNames, listenerCount } = EventEmitter.prototype;
const { get: threadId } = Object.getOwnPropertyDescriptor(Worker.prototype, "threadId");
const of = (worker, answer, ...given) => Reflect.apply(answer, worker, given);

exports.prepare = () => own.hearWorkers((worker) => made.push(worker));

let pool;
const controllers = new Map();
exports.open = (student, { file, size }) => {
  made.length = 0;
  pool = student.createPool(file, size);
};

// `signal` names a controller that jobs may share.
exports.run = (_student, { jobs }, tell) => {
  for (const { signal, ...input } of jobs) {
    if (signal && !controllers.has(signal)) controllers.set(signal, new AbortController());
    const controller = controllers.get(signal);
    const settled = (told) => tell("settled", { name: input.name, ...told });
    let promise;
    try {
      promise = Promise.resolve(
        controller ? pool.run(input, { signal: controller.signal }) : pool.run(input),
      );
    } catch (error) {
      promise = Promise.reject(error);
    }
    promise.then(
      (value) => settled({ value }),
      (error) =>
        settled({
          error: error instanceof Error ? error.message : String(error),
          reason: Boolean(controller?.signal.aborted) && error === controller.signal.reason,
        }),
    );
  }
};
exports.abort = (_student, { signal }) => {
  if (!controllers.has(signal)) controllers.set(signal, new AbortController());
  controllers.get(signal).abort();
};
exports.close = () => pool.close();
exports.workers = (_student, { signal }) => {
  const alive = made.filter((worker) => of(worker, threadId) > 0);
  const listeners = alive.map((worker) =>
    of(worker, eventNames).reduce((sum, name) => sum + of(worker, listenerCount, name), 0),
  );
  return {
    made: made.length,
    alive: alive.length,
    listeners: Math.max(0, ...listeners),
    onSignal: controllers.has(signal)
      ? getEventListeners(controllers.get(signal).signal, "abort").length
      : 0,
  };
};
