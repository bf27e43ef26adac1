// Evaluated inside the engine for a program that is a server with clients (servers.js): `http.createServer` with light
// requests and responses, its clients, and work whose time is declared. All of it is in virtual time. What a request
// of Node's has and this one lacks is refused.
(machine) => {
  const { host } = machine;
  const EventEmitter = machine.load("events");
  const BACKLOG = 511;
  const FIRST_KNOCK_MS = 1000; // until a client's kernel asks again for a connection
  const LOOK_EVERY = 64; // requests between two looks at the real clock
  const [IS_OPEN, HAS_LEFT, HAS_ENDED] = [0, 1, 2]; // what the client of a connection did
  const MOST_PAUSE_MS = 128; // of a client whose connections fail one after the other
  const [, UV_MINOR] = machine.versions.uv.split(".").map(Number);
  const ACCEPTS_ALL = UV_MINOR < 45; // libuv accepts one connection a turn since 1.45
  const SEES_END_AT_ONCE = UV_MINOR < 52;

  let plan = null;
  let server = null;
  let isListening = false;
  let startMs = 0; // when it began to listen, and its clients to come: their times are counted from there
  const now = () => machine.timeMs();
  const refuse = (what) =>
    machine.refuse(
      `The model of a server has no ${what}, because its requests and responses are simplified`,
    );

  // --- what a request waits for ------------------------------------------------------------------
  // The request that the code now runs for. It is known of a handler and of what the handler's timers, jobs and events call.
  // Who takes another request's response out of a list of the program still runs for the first, and what the other then
  // waits for has no name of its own: it is in the rest.
  let current = null;
  const rows = [];
  const rowOf = (group, client, at) => {
    const row = { group, client, at, wait: null, status: null, door: null };
    Object.assign(row, { loop: 0, line: 0, thread: 0, queue: 0, query: 0 });
    rows.push(row);
    return row;
  };
  const add = (owner, what, ms) => {
    if (owner && owner.status === null) owner[what] += ms;
  };
  /** A function that runs for the request for which it was made. */
  const ownedBy = (callback) => {
    if (typeof callback !== "function") return callback;
    const owner = current;
    return function run(...values) {
      current = owner;
      return Reflect.apply(callback, this, values);
    };
  };

  // --- processors, threads and the database ------------------------------------------------------
  // Each processor is shared in equal parts by those who compute: the loop and the threads of the pool.
  const running = []; // of the pool: {left, computes, owner, resolve}
  const waiting = [];
  const querying = [];
  const queries = []; // that wait for a connection
  const doneJobs = []; // {at, job}
  let since = 0; // when `running` was brought up to date
  const speed = (loops) => {
    const users = loops + running.filter(({ computes }) => computes).length;
    return Math.min(1, plan.processors / Math.max(users, plan.processors));
  };
  const begin = (at) => {
    while (waiting.length > 0 && running.length < plan.threads) {
      const job = waiting.shift();
      add(job.owner, "line", at - job.at);
      job.at = at;
      running.push(job);
    }
    while (queries.length > 0 && querying.length < plan.connections) {
      const job = queries.shift();
      add(job.owner, "queue", at - job.at);
      Object.assign(job, { at, until: at + job.ms });
      querying.push(job);
    }
  };
  /** The milliseconds until the next job is done, while `loops` loops compute. */
  const untilDone = (loops) => {
    const share = speed(loops);
    const ofThreads = running.map(({ left, computes }) => (computes ? left / share : left));
    return Math.min(...ofThreads, ...querying.map(({ until }) => until - since));
  };
  const TINY = 1e-9;
  /** Ends the jobs that are done and begins those that waited for their places, of which some may take no time at all. */
  const settle = () => {
    begin(since);
    while (running.length + querying.length > 0 && untilDone(0) <= TINY) {
      for (const [list, isDone, cause] of [
        [running, ({ left }) => left <= TINY, "thread"],
        [querying, ({ until }) => until - since <= TINY, "query"],
      ])
        for (const job of list.filter(isDone)) {
          list.splice(list.indexOf(job), 1);
          add(job.owner, cause, since - job.at);
          doneJobs.push({ at: since, job });
        }
      begin(since);
    }
  };
  const step = (ms, loops) => {
    const share = speed(loops);
    since += ms;
    for (const job of running) job.left -= job.computes ? ms * share : ms;
    settle();
  };
  /** Brings threads and database to a time; the loop did not compute meanwhile, or `loops` says that it did. */
  const advance = (time, loops = 0) => {
    while (since < time) step(Math.min(time - since, untilDone(loops)), loops);
  };
  const whole = (name, ms) => {
    if (typeof ms !== "number" || !(ms >= 0 && ms <= 60_000))
      throw new TypeError(
        `${name}(${typeof ms === "string" ? JSON.stringify(ms) : String(ms)}): give milliseconds from 0 to 60000, such as ${name}(10)`,
      );
    return ms;
  };
  /** The loop computes. */
  const compute = (ms) => {
    advance(now());
    let remainingMs = ms;
    let passedMs = 0;
    while (remainingMs > TINY) {
      const share = speed(1);
      const part = Math.min(remainingMs / share, untilDone(1));
      remainingMs -= part * share;
      passedMs += part;
      step(part, 1);
    }
    machine.pass(passedMs);
    return passedMs;
  };
  const busy = (name) =>
    ({
      [name](ms) {
        const owner = current;
        add(owner, "loop", compute(whole(name, ms)));
      },
    })[name];
  const job = (name, list, more) =>
    ({
      [name](ms, ...rest) {
        if (rest.length > 0)
          throw new TypeError(
            `${name}(ms) returns a promise and takes no other argument: await ${name}(10)`,
          );
        whole(name, ms);
        return new Promise((resolve) => {
          advance(now());
          list.push({ ms, left: ms, at: since, owner: current, resolve, ...more });
          settle();
        });
      },
    })[name];
  const work = {
    busy: busy("busy"),
    hashFor: busy("hashFor"),
    hash: job("hash", waiting, { computes: true }),
    read: job("read", waiting, { computes: false }),
    query: job("query", queries, {}),
  };

  // --- connections, as the kernel has them --------------------------------------------------------
  const backlog = [];
  let ready = []; // {at, connection}; null for the server's own
  const wake = (connection, at) => {
    if (!ready.some((entry) => entry.connection === connection)) ready.push({ at, connection });
  };
  let connections = 0;
  const connectionOf = (client, isAccepted) => {
    connections++;
    return { client, isAccepted, request: null, side: IS_OPEN, response: null, row: null };
  };
  const connect = (client, at) => {
    const connection = connectionOf(client, false);
    knock(connection, at, FIRST_KNOCK_MS);
    return connection;
  };
  /** Where the backlog is full, the kernel drops the connection, and the client's asks again, after twice the time each time. */
  const knock = (connection, at, pauseMs) => {
    if (connection.side === HAS_LEFT) return;
    if (backlog.length >= BACKLOG) {
      schedule(at + pauseMs, (then) => knock(connection, then, 2 * pauseMs));
      return;
    }
    backlog.push(connection);
    wake(null, at);
  };
  const accept = () => {
    do {
      const connection = backlog.shift();
      if (!connection) return;
      compute(plan.connectMs);
      connection.isAccepted = true;
      if (connection.request || connection.side === HAS_LEFT) wake(connection, now());
    } while (ACCEPTS_ALL);
    if (backlog.length > 0) wake(null, now());
  };
  const receive = (connection) => {
    const { request, response } = connection;
    if (request) {
      connection.request = null;
      if (connection.side === HAS_LEFT && !SEES_END_AT_ONCE) wake(connection, now());
      handle(connection, request);
    } else if (connection.side === HAS_LEFT && response && !response.isOver) response.leave();
  };

  // --- clients ------------------------------------------------------------------------------------
  const heap = []; // {at, number, call}, the earliest first
  let numbers = 0;
  const isBefore = (a, b) => a.at < b.at || (a.at === b.at && a.number < b.number);
  const schedule = (at, call) => {
    const entry = { at, number: numbers++, call };
    heap.push(entry);
    let place = heap.length - 1;
    while (place > 0) {
      const up = (place - 1) >> 1;
      if (!isBefore(heap[place], heap[up])) break;
      [heap[place], heap[up]] = [heap[up], heap[place]];
      place = up;
    }
    return entry;
  };
  const first = () => {
    const [top] = heap;
    const last = heap.pop();
    if (top === last) return top;
    heap[0] = last;
    for (let place = 0; ; ) {
      let least = place;
      for (const child of [2 * place + 1, 2 * place + 2])
        if (child < heap.length && isBefore(heap[child], heap[least])) least = child;
      if (least === place) return top;
      [heap[place], heap[least]] = [heap[least], heap[place]];
      place = least;
    }
  };
  /** What clients do up to a time. */
  const happen = (time) => {
    while (heap.length > 0 && heap[0].at <= time) {
      const { at, call } = first();
      call?.(at);
    }
  };
  let cut = null;
  let isDone = false; // no more requests are sent
  let openRows = 0; // requests without an answer
  let openRounds = 0; // clients that have not sent all they are to send, of groups with rounds
  let endAt = 0;
  const finishAll = (why = null) => {
    cut ??= why;
    isDone = true;
  };
  /** Who still waits when the last round is over gets an answer, too. */
  const isOver = () => isDone && (cut !== null || openRows === 0);
  const end = (row, at, status) => {
    openRows--;
    Object.assign(row, { wait: at - row.at, status });
  };
  const send = (client, at, intendedAt = at) => {
    if (isDone) return;
    if (rows.length >= plan.mostRequests) return finishAll("requests");
    if (rows.length % LOOK_EVERY === 0 && host("late") === 1) return finishAll("time");
    const { group } = client;
    const row = rowOf(group.name, client.number, intendedAt);
    openRows++;
    client.isIdle = false;
    client.sent++;
    if (!client.connection) client.connection = connect(client, at);
    const { connection } = client;
    connection.request = { row, group };
    connection.row = row;
    if (connection.isAccepted) wake(connection, at);
    if (group.patienceMs !== null) {
      client.timer = schedule(at + group.patienceMs, (late) => give(client, row, late));
    }
  };
  const over = (client, at) => {
    const { group } = client;
    if (group.rounds !== null && client.sent >= group.rounds) {
      if (--openRounds === 0) {
        endAt = at;
        finishAll();
      }
      return;
    }
    if (group.times) return free(client, at);
    let pause = client.failures > 1 ? Math.min(2 ** client.failures, MOST_PAUSE_MS) : 0;
    if (group.thinkMs)
      pause +=
        group.think === "exponential" ? -group.thinkMs * Math.log(1 - chance()) : group.thinkMs;
    if (pause === 0) send(client, at);
    else schedule(at + pause, (then) => send(client, then));
  };
  /** A client gives up: it closes its connection, and the server may learn of it. */
  const give = (client, row, at) => {
    if (row.status !== null) return;
    const { connection } = client;
    end(row, at, 0);
    client.connection = null;
    client.failures++;
    connection.side = HAS_LEFT;
    if (connection.isAccepted) wake(connection, at);
    over(client, at);
  };
  const answer = (connection, status) => {
    const { client, row } = connection;
    const at = now();
    happen(at);
    if (row.status !== null || connection.side === HAS_LEFT) return;
    end(row, at, status);
    client.failures = 0;
    if (client.timer) client.timer.call = null;
    if (!client.group.keepAlive) {
      connection.side = HAS_ENDED;
      client.connection = null;
    }
    if (isDone) return;
    over(client, at);
  };
  let chance = Math.random;

  // Requests at times that are given: each takes a client that is free, the one used last, or a new one.
  const startRequests = (group, from) => {
    const idle = [];
    const late = [];
    group.free = (client, at) => {
      if (late.length > 0) send(client, at, late.shift());
      else idle.push(client);
    };
    let count = 0;
    for (const time of group.times)
      schedule(from + time, (at) => {
        const client = idle.pop() ?? (count < group.clients ? clientOf(group, count++) : null);
        if (client) send(client, at);
        else late.push(at);
      });
  };
  const free = (client, at) => client.group.free(client, at);
  const clientOf = (group, number) => ({ group, number, sent: 0, failures: 0, connection: null });
  const startClients = (group, from) => {
    for (const { number, at } of group.starts) {
      const client = clientOf(group, number);
      if (group.rounds !== null) openRounds++;
      if (group.isConnected) client.connection = connectionOf(client, true);
      schedule(from + at, (then) => send(client, then));
    }
  };
  /** The clients come as soon as the server listens, as they do in a measured run, and the run is timed from then on. */
  const startAll = () => {
    startMs = now();
    endAt = startMs + plan.endMs;
    for (const group of plan.groups) (group.times ? startRequests : startClients)(group, startMs);
    // A process to which no client was dealt has nothing to wait for.
    const isIdle = ({ times, starts }) => (times ?? starts).length === 0;
    if (plan.groups.every(isIdle)) {
      endAt = startMs;
      finishAll();
    }
  };

  // --- http ---------------------------------------------------------------------------------------
  const lacks = (prototype, object, names) => {
    for (const name of names.trim().split(/\s+/))
      if (!(name in prototype))
        Object.defineProperty(prototype, name, {
          get: () => refuse(`${object}.${name}`),
          set: () => refuse(`${object}.${name}`),
          configurable: true,
        });
  };
  const checkChunk = (value) => {
    if (typeof value === "string" || value instanceof Uint8Array) return;
    const { determineSpecificType } = machine.load("internal/errors");
    const error = new TypeError(
      `The "chunk" argument must be of type string or an instance of Buffer or Uint8Array. Received ${determineSpecificType(value)}`,
    );
    error.code = "ERR_INVALID_ARG_TYPE";
    throw error;
  };
  class Request extends EventEmitter {
    constructor({ group }) {
      super();
      this.method = group.method;
      this.url = group.path;
      this.headers = {
        host: "127.0.0.1:3000",
        connection: group.keepAlive ? "keep-alive" : "close",
      };
      this.httpVersion = "1.1";
      this.httpVersionMajor = 1;
      this.httpVersionMinor = 1;
      this.complete = true;
      this.aborted = false;
      this.destroyed = false;
      this.closed = false;
      this.readableEnded = false;
    }
    #finish() {
      if (this.readableEnded) return;
      this.readableEnded = true;
      machine.process.nextTick(() => this.emit("end"));
    }
    on(name, listener) {
      super.on(name, ownedBy(listener));
      if (name === "data") this.#finish(); // the requests of these clients have no body
      return this;
    }
    resume() {
      this.#finish();
      return this;
    }
    setEncoding() {
      return this;
    }
    async *[Symbol.asyncIterator]() {}
  }
  Request.prototype.addListener = Request.prototype.on;
  lacks(
    Request.prototype,
    "request",
    `socket client connection rawHeaders rawTrailers trailers headersDistinct trailersDistinct joinDuplicateHeaders
    upgrade statusCode statusMessage setTimeout destroy push unshift isPaused read pipe unpipe pause wrap iterator
    readable readableDidRead readableAborted readableHighWaterMark readableBuffer readableFlowing readableLength
    readableObjectMode readableEncoding errored asIndexedPairs drop filter flatMap map take compose every forEach
    reduce toArray some find signal`,
  );

  const headerName = (name) => {
    if (typeof name === "string" && name) return name.toLowerCase();
    const { codes } = machine.load("internal/errors");
    throw new codes.ERR_INVALID_HTTP_TOKEN("Header name", name);
  };
  class Response extends EventEmitter {
    #connection;
    #headers = new Map();
    #sentStatus = null; // the one that goes out with the headers
    constructor(connection) {
      super();
      this.#connection = connection;
      this.statusCode = 200;
      this.statusMessage = undefined;
      this.headersSent = false;
      this.writableEnded = false;
      this.writableFinished = false;
      this.writable = true;
      this.finished = false;
      this.destroyed = false;
      this.closed = false;
      this.sendDate = true;
      this.shouldKeepAlive = true;
    }
    get isOver() {
      return this.closed || this.writableEnded;
    }
    #mayNotBeSent(what) {
      if (!this.headersSent) return;
      const { codes } = machine.load("internal/errors");
      throw new codes.ERR_HTTP_HEADERS_SENT(what);
    }
    /** Sends the headers, with a status that is checked as Node checks it. */
    #sendHead(status) {
      const code = status | 0;
      if (code < 100 || code > 999) {
        const { codes } = machine.load("internal/errors");
        throw new codes.ERR_HTTP_INVALID_STATUS_CODE(status);
      }
      this.statusCode = code;
      this.#sentStatus = code;
      this.headersSent = true;
    }
    setHeader(name, value) {
      this.#mayNotBeSent("set");
      this.#headers.set(headerName(name), value);
      return this;
    }
    getHeader(name) {
      return this.#headers.get(headerName(name));
    }
    hasHeader(name) {
      return this.#headers.has(headerName(name));
    }
    removeHeader(name) {
      this.#mayNotBeSent("remove");
      this.#headers.delete(headerName(name));
    }
    getHeaderNames() {
      return [...this.#headers.keys()];
    }
    getHeaders() {
      return Object.fromEntries(this.#headers);
    }
    writeHead(status, ...values) {
      this.#mayNotBeSent("write");
      this.#sendHead(status);
      const headers = typeof values[0] === "string" ? values[1] : values[0];
      if (typeof values[0] === "string") [this.statusMessage] = values;
      for (const [name, value] of Object.entries(headers ?? {}))
        this.#headers.set(headerName(name), value);
      return this;
    }
    flushHeaders() {
      if (!this.headersSent) this.#sendHead(this.statusCode);
    }
    write(chunk, ...values) {
      const { codes } = machine.load("internal/errors");
      if (this.writableEnded) {
        const error = new codes.ERR_STREAM_WRITE_AFTER_END();
        machine.process.nextTick(() => this.emit("error", error));
        return false;
      }
      checkChunk(chunk);
      this.flushHeaders();
      const callback = values.find((value) => typeof value === "function");
      if (callback) machine.process.nextTick(callback);
      return true;
    }
    end(...values) {
      const [chunk] = values;
      const callback = values.find((value) => typeof value === "function");
      if (this.writableEnded) return this;
      if (chunk !== undefined && chunk !== null && typeof chunk !== "function") checkChunk(chunk);
      this.flushHeaders();
      this.writableEnded = true;
      this.finished = true;
      const wasOpen = !this.closed;
      answer(this.#connection, this.#sentStatus);
      if (callback) this.once("finish", callback);
      machine.process.nextTick(() => {
        this.writableFinished = wasOpen;
        if (wasOpen) this.emit("finish");
        this.#close();
      });
      return this;
    }
    #close() {
      if (this.closed) return;
      this.closed = true;
      this.destroyed = true;
      this.emit("close");
    }
    /** The server has read that the client has left. */
    leave() {
      const { request } = this;
      request.aborted = true;
      request.destroyed = true;
      request.closed = true;
      machine.makeCallback(() => {
        request.emit("aborted");
        request.emit("close");
        this.#close();
      });
    }
    /** The server drops the connection without an answer. */
    destroy() {
      if (this.closed) return this;
      if (!this.writableEnded) {
        const { client, row } = this.#connection;
        const at = now();
        happen(at);
        if (row.status === null) {
          end(row, at, -1);
          if (client.timer) client.timer.call = null;
          client.connection = null;
          client.failures++;
          this.#connection.side = HAS_ENDED;
          over(client, at);
        }
      }
      machine.process.nextTick(() => this.#close());
      this.destroyed = true;
      return this;
    }
    on(name, listener) {
      return super.on(name, ownedBy(listener));
    }
  }
  Response.prototype.addListener = Response.prototype.on;
  lacks(
    Response.prototype,
    "response",
    `socket connection assignSocket detachSocket writeContinue writeProcessing writeEarlyHints writeHeader cork uncork
    setTimeout setHeaders appendHeader getRawHeaderNames addTrailers pipe errored writableObjectMode writableLength
    writableHighWaterMark writableCorked writableNeedDrain chunkedEncoding useChunkedEncodingByDefault strictContentLength
    maxRequestsOnConnectionReached outputData outputSize send json status sendStatus`,
  );

  const REFUSED_EVENTS = new Set([
    "upgrade",
    "connection",
    "connect",
    "checkContinue",
    "clientError",
    "timeout",
  ]);
  class Server extends EventEmitter {
    listening = false;
    constructor(...values) {
      super();
      const handler = values.find((value) => typeof value === "function");
      const [options] = values;
      if (typeof options === "object" && options && Object.keys(options).length > 0)
        refuse(`option ${Object.keys(options)[0]} of createServer()`);
      if (server) refuse("second server");
      server = this;
      if (handler) this.on("request", handler);
      this.on("newListener", (event) => {
        if (REFUSED_EVENTS.has(event)) refuse(`event ${event} of a server`);
      });
    }
    listen(...values) {
      if (this.listening) {
        const { codes } = machine.load("internal/errors");
        throw new codes.ERR_SERVER_ALREADY_LISTEN();
      }
      const [where] = values;
      const port = typeof where === "object" && where ? where.port : where;
      if (
        port !== undefined &&
        typeof port !== "function" &&
        !(Number(port) >= 0 && Number(port) < 65_536)
      )
        refuse(`server.listen(${JSON.stringify(port)}) needs a port, such as 3000`);
      const callback = values.find((value) => typeof value === "function");
      this.listening = true;
      isListening = true;
      startAll();
      if (callback) this.once("listening", callback);
      machine.process.nextTick(() => this.emit("listening"));
      return this;
    }
    address() {
      return { address: "127.0.0.1", family: "IPv4", port: 3000 };
    }
    ref() {
      return this;
    }
    unref() {
      return this;
    }
  }
  lacks(
    Server.prototype,
    "server",
    `close closeAllConnections closeIdleConnections setTimeout getConnections timeout keepAliveTimeout headersTimeout
    requestTimeout maxHeadersCount maxRequestsPerSocket maxConnections connections keepAlive noDelay
    keepAliveTimeoutBuffer dropMaxConnection`,
  );
  const createServer = (...values) => new Server(...values);
  /** Server(handler) without new makes one, too. */
  const callable = new Proxy(Server, { apply: (_, __, values) => new Server(...values) });
  function handle(connection, { row, group }) {
    const request = new Request({ group });
    const response = new Response(connection);
    request.res = response;
    Object.defineProperty(response, "request", { value: request, enumerable: false });
    Object.defineProperty(response, "req", { value: request, enumerable: false });
    connection.response = response;
    if (row.status === null) row.door = now() - row.at;
    current = row;
    add(row, "loop", compute(plan.requestMs));
    machine.makeCallback(() => server.emit("request", request, response));
    current = null;
  }

  // --- what the loop asks ---------------------------------------------------------------------------
  const lastMs = () => startMs + plan.endMs;
  const until = () => Math.min(heap[0]?.at ?? Number.POSITIVE_INFINITY, lastMs());
  const hasJobs = () =>
    [running, waiting, querying, queries, doneJobs].some(({ length }) => length > 0);
  /** Ends the run without leaving a function that runs. */
  let isStopped = false;
  const stop = () => {
    isStopped = true;
    machine.isStopped = true;
    machine.exitCode = 0;
    host("stop");
  };
  machine.sockets = {
    isAlive: () => (isListening ? !isOver() : hasJobs()),
    hasListener: () => false,
    isReady: () => {
      happen(now());
      advance(now());
      return isOver() || ready.length > 0 || doneJobs.length > 0;
    },
    nextAt: () => Math.min(until(), since + untilDone(0)),
    hasPending: () => false,
    state: () => null,
    take() {
      current = null;
      const time = now();
      happen(time);
      advance(time);
      if (isOver() || time >= lastMs()) {
        stop();
        return [];
      }
      const events = ready.map(({ at, connection }) => ({
        at,
        call: () => (connection ? receive(connection) : accept()),
      }));
      ready = [];
      for (const { at, job } of doneJobs.splice(0))
        events.push({
          at,
          call() {
            current = job.owner;
            machine.makeCallback(() => job.resolve());
            current = null;
          },
        });
      return events.sort((a, b) => a.at - b.at);
    },
  };

  machine.serving = {
    begin(given) {
      plan = given;
      endAt = plan.endMs;
      const state = { seed: plan.seed };
      chance = () => {
        // mulberry32, by Tommy Ettinger, 2017
        state.seed = (state.seed + 0x6d2b79f5) | 0;
        let mixed = Math.imul(state.seed ^ (state.seed >>> 15), state.seed | 1);
        mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
        return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
      };
      const http = machine.absent("http", {
        createServer,
        Server: callable,
        STATUS_CODES: {},
        METHODS: ["GET"],
      });
      machine.own.http = http;
      machine.own.net = machine.absent("net", {});
      for (const [name, value] of Object.entries({ createServer, ...work }))
        Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
      for (const name of ["setTimeout", "setInterval", "setImmediate"]) {
        const { [name]: timer } = globalThis;
        const inModel = { [name]: (callback, ...rest) => timer(ownedBy(callback), ...rest) }[name];
        for (const symbol of Object.getOwnPropertySymbols(timer)) inModel[symbol] = timer[symbol];
        globalThis[name] = inModel;
      }
      const { promises } = { promises: machine.load("timers/promises") };
      const ownTimer = (name) =>
        function wait(...values) {
          const isImmediate = name === "setImmediate";
          const [value, options] = isImmediate ? values : values.slice(1);
          if (options !== undefined) return promises[name](...values);
          return new Promise((resolve) =>
            isImmediate
              ? globalThis.setImmediate(resolve, value)
              : globalThis.setTimeout(resolve, values[0], value),
          );
        };
      machine.own["timers/promises"] = {
        ...promises,
        setTimeout: ownTimer("setTimeout"),
        setImmediate: ownTimer("setImmediate"),
      };
    },
    /** What came of the clients; times are counted from when the server began to listen. */
    result() {
      const time = now();
      for (const row of rows) {
        if (row.status === null) row.wait = time - row.at;
        row.at -= startMs;
      }
      return {
        rows,
        cut,
        connections,
        isListening,
        isStopped: isStopped || isOver(),
        hasServer: server !== null,
        endMs: Math.min(isDone && !cut ? endAt : time, lastMs()) - startMs,
      };
    },
  };
};
