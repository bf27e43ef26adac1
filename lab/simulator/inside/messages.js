// Evaluated inside the engine for a program that uses message channels or `worker_threads`. A port is a handle of libuv's:
// what was sent to it is taken in the poll phase, the ports in the order in which they were made.
(machine) => {
  const { load } = machine;
  const { NodeEventTarget, Event, defineEventHandler, kCreateEvent } =
    load("internal/event_target");
  const { kNewListener, kRemoveListener } = load("internal/event_target");
  const DISPATCH = Symbol.for("nodejs.internal.kHybridDispatch");
  let count = 0;

  class MessageEvent extends Event {
    #data;
    #ports;
    constructor(type, { data = null, ports = [], ...rest } = {}) {
      super(type, rest);
      this.#data = data;
      this.#ports = ports;
    }
    get data() {
      return this.#data;
    }
    get ports() {
      return this.#ports;
    }
    get origin() {
      return "";
    }
    get source() {
      return null;
    }
    get lastEventId() {
      return "";
    }
  }

  let isInside = false;
  class MessagePort extends NodeEventTarget {
    constructor() {
      if (!isInside) throw new TypeError("Illegal constructor");
      super();
      const state = {
        number: count++,
        peer: null,
        queue: [],
        isStarted: false,
        isClosed: false,
        wrap: machine.wrap(this, "MESSAGEPORT"),
        take: () => take(this),
      };
      states.set(this, state);
    }
    postMessage(value) {
      const { peer, isClosed } = states.get(this);
      const message = machine.clone(value);
      if (!peer || isClosed) return;
      states.get(peer).queue.push(message);
      wake(peer);
    }
    start() {
      const state = states.get(this);
      if (state.isClosed) return;
      state.isStarted = true;
      if (state.queue.length) wake(this);
    }
    ref() {
      if (!states.get(this).isClosed) machine.handles.add(this);
    }
    unref() {
      machine.handles.delete(this);
    }
    hasRef() {
      return machine.handles.has(this);
    }
    close(callback) {
      if (typeof callback === "function") this.once("close", callback);
      closeOne(this);
    }
    [kCreateEvent](data, type) {
      if (type !== "message" && type !== "messageerror") return super[kCreateEvent](data, type);
      return new MessageEvent(type, { data });
    }
    [kNewListener](size, type, ...listeners) {
      if (type === "message" && size === 1) {
        this.ref();
        this.start();
      }
      return super[kNewListener](size, type, ...listeners);
    }
    [kRemoveListener](size, type, ...listeners) {
      if (type === "message" && size === 0) {
        states.get(this).isStarted = false;
        this.unref();
      }
      return super[kRemoveListener](size, type, ...listeners);
    }
  }
  defineEventHandler(MessagePort.prototype, "message");
  defineEventHandler(MessagePort.prototype, "messageerror");

  const states = new WeakMap();
  const wake = (port) => {
    const state = states.get(port);
    if (!machine.posts.includes(state)) machine.posts.push(state);
  };
  const take = (port) => {
    const state = states.get(port);
    // As many as were there when the loop looked; those that come meanwhile, up to a thousand, too.
    for (let taken = 0; taken < 1000 && state.isStarted && state.queue.length; taken++) {
      const message = state.queue.shift();
      machine.callBack(state.wrap, () => port[DISPATCH](message, "message"));
      if (machine.isStopped) return;
    }
    if (!state.isEnding || state.queue.length) return;
    // Sooner or later, in a loop that goes on.
    if (!state.isStarted && port.listenerCount("close"))
      machine.refuse("The model does not know when a port that takes no messages is closed");
    closeOne(port);
  };
  const closeOne = (port) => {
    const state = states.get(port);
    if (state.isClosed) return;
    state.isClosed = true;
    machine.handles.delete(port);
    machine.closing.push(() => {
      const { peer } = state;
      if (peer && !states.get(peer).isClosed) {
        states.get(peer).isEnding = true;
        wake(peer);
      }
      machine.makeCallback(() => port.dispatchEvent(new Event("close")));
    });
  };

  class MessageChannel {
    constructor() {
      isInside = true;
      this.port1 = new MessagePort();
      this.port2 = new MessagePort();
      isInside = false;
      states.get(this.port1).peer = this.port2;
      states.get(this.port2).peer = this.port1;
    }
  }
  const receiveMessageOnPort = (port) => {
    const { queue } = states.get(port);
    return queue.length ? { message: queue.shift() } : undefined;
  };
  class Worker {
    constructor() {
      machine.refuseFor("workers (worker_threads.Worker)");
    }
  }
  const worker_threads = machine.absent("worker_threads", {
    ...{ MessageChannel, MessagePort, Worker, receiveMessageOnPort },
    ...{ isMainThread: true, parentPort: null, threadId: 0, workerData: null },
  });
  return { MessageEvent, MessagePort, MessageChannel, worker_threads };
};
