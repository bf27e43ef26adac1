// Evaluated inside the engine for a program that names `net` or `http`: sockets between the ends of one program, for
// Node's own modules. The kernel's part is that of Linux: what one end sends the other can read at once, and epoll
// lists what is ready in the order in which it became so. The loop's part is that of libuv: one connection is taken
// a turn, a reading goes on until there is less than 64 kB, and the ends of writing and closing have phases of their own.
(machine) => {
  const { bindings } = machine;
  const { uv } = bindings;
  const CAPACITY = 4 * 2 ** 20; // what a sender's and a receiver's kernel hold together
  const READ_BYTES = 2 ** 16;
  const MOST_READS = 32; // of one stream in one turn
  const MOST_PENDING = 8; // rounds after the poll phase
  const [IN, OUT, ERR, HUP] = [1, 4, 8, 16];
  const [, UV_MINOR] = machine.versions.uv.split(".").map(Number);
  const SEES_END_AT_ONCE = UV_MINOR < 52;
  const LOCAL = /^(127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+|0\.0\.0\.0|::)$/;
  const FIRST_PORT = 40_000;
  let lastPort = FIRST_PORT;

  // --- the kernel ------------------------------------------------------------------------------------
  const listening = new Map(); // by port
  let readyList = []; // of epoll: {end, at}
  const now = () => machine.timeUs();

  class End {
    constructor() {
      Object.assign(this, { handle: null, mask: 0, peer: null, error: 0, address: null });
      Object.assign(this, { chunks: [], held: 0, isOpen: false, isClosed: false, isReset: false });
      Object.assign(this, { hasEnd: false, hasEnded: false, queue: null, remote: null });
    }
    get events() {
      if (this.queue) return this.queue.length ? IN : 0;
      let mask = this.error ? ERR : 0;
      if (this.isReset || !this.isOpen) return mask | IN | OUT | HUP;
      if (this.hasEnd && this.hasEnded) mask |= HUP;
      if (this.held || this.hasEnd) mask |= IN;
      if (this.hasEnded || this.room > CAPACITY / 3) mask |= OUT;
      return mask;
    }
    get room() {
      return this.peer ? CAPACITY - this.peer.held : CAPACITY;
    }
    /** What is ready comes to the end of the list, unless it is in there. */
    wake() {
      const isListed = readyList.some(({ end }) => end === this);
      if (!isListed && this.mask && this.events & (this.mask | ERR | HUP))
        readyList.push({ end: this, at: now() });
    }
    watch(mask) {
      this.mask = mask;
      this.wake();
    }
    forget() {
      this.mask = 0;
      readyList = readyList.filter(({ end }) => end !== this);
    }
    connect(address, port) {
      const listener = listening.get(port);
      this.remote = { address, port };
      this.address ??= { address: "127.0.0.1", port: nextPort() };
      if (!listener) return this.reset(uv.UV_ECONNREFUSED);
      const child = new End();
      Object.assign(child, {
        peer: this,
        isOpen: true,
        address: this.remote,
        remote: this.address,
      });
      if (listener.address.address === "::")
        for (const name of ["address", "remote"])
          child[name] = { ...child[name], address: mapped(child[name].address) };
      Object.assign(this, { peer: child, isOpen: true });
      listener.queue.push(child);
      listener.wake();
      return undefined;
    }
    /** The number of bytes that were taken, or an error. */
    send(bytes) {
      if (this.hasEnded || this.isReset) return this.#takeError() || uv.UV_EPIPE;
      if (this.peer.isClosed) {
        this.reset(this.hasEnd ? uv.UV_EPIPE : uv.UV_ECONNRESET);
        return bytes.length;
      }
      const count = Math.min(bytes.length, this.room);
      if (count === 0) return 0;
      this.peer.chunks.push(bytes.slice(0, count));
      this.peer.held += count;
      this.peer.wake();
      return count;
    }
    /** Bytes, 0 at the end of what comes, null where there is nothing yet, or an error. */
    receive() {
      if (!this.held) {
        if (this.hasEnd || !this.isReset) return this.hasEnd ? 0 : null;
        return this.#takeError();
      }
      const bytes = new Uint8Array(Math.min(this.held, READ_BYTES));
      for (let at = 0; at < bytes.length; ) {
        const [chunk] = this.chunks;
        const part = chunk.subarray(0, bytes.length - at);
        bytes.set(part, at);
        at += part.length;
        if (part.length === chunk.length) this.chunks.shift();
        else this.chunks[0] = chunk.subarray(part.length);
      }
      this.held -= bytes.length;
      this.peer.wake();
      return bytes;
    }
    /** No more is sent: the other end learns of it behind the last byte. */
    end() {
      if (this.hasEnded) return;
      this.hasEnded = true;
      if (this.peer) {
        this.peer.hasEnd = true;
        this.peer.wake();
      }
      this.wake();
    }
    reset(error) {
      this.error = error;
      this.isReset = true;
      this.wake();
    }
    #takeError() {
      const { error } = this;
      this.error = 0;
      return error;
    }
    close(isHard = false) {
      this.forget();
      this.isClosed = true;
      if (this.queue) {
        listening.delete(this.address.port);
        for (const end of this.queue) end.close(true);
      } else if (this.peer && !this.peer.isClosed) {
        if (isHard || this.held) this.peer.reset(uv.UV_ECONNRESET);
        else this.end();
      }
    }
  }
  const mapped = (address) => (address.includes(":") ? address : `::ffff:${address}`);
  const nextPort = () => {
    while (listening.has(++lastPort));
    return lastPort;
  };

  // --- libuv: which ends are watched, and what is called for them -------------------------------------
  let changes = []; // handles of which epoll does not know yet what they want
  let pending = []; // handles that are called without epoll
  let requests = 0; // that keep the loop alive
  const active = new Set(); // handles that do

  const want = (handle, mask) => {
    handle.wants |= mask;
    if (handle.wants !== handle.watched && !changes.includes(handle)) changes.push(handle);
  };
  const leave = (handle, mask) => {
    handle.wants &= ~mask;
    if (handle.wants) want(handle, 0);
    else {
      changes = changes.filter((entry) => entry !== handle);
      handle.watched = 0;
    }
  };
  const feed = (handle) => {
    if (!pending.includes(handle)) pending.push(handle);
  };
  const updateActive = (handle) => {
    const isActive = handle.isReading || handle.end?.queue;
    if (isActive && !handle.isClosing) active.add(handle);
    else active.delete(handle);
  };

  machine.sockets = {
    isAlive: () => requests > 0 || [...active].some(({ isUnref }) => !isUnref),
    hasListener: () => listening.size > 0,
    /** True where the loop would not sleep. */
    isReady() {
      for (const handle of changes.splice(0)) {
        handle.watched = handle.wants;
        handle.end.watch(handle.wants);
      }
      return pending.length > 0 || readyList.some(({ end }) => end.events & (end.mask | ERR | HUP));
    },
    /** What epoll lists: {at, call}, the time at which each became ready in microseconds. */
    take() {
      const signals = readyList;
      readyList = [];
      const results = [];
      for (const { end, at } of signals) {
        const events = end.events & (end.mask | ERR | HUP);
        if (!events) continue;
        readyList.push({ end, at: now() });
        results.push({ at, call: () => handleEvents(end, events) });
      }
      return results;
    },
    hasPending: () => pending.length > 0,
    runPending() {
      for (const handle of pending.splice(0))
        if (!machine.isStopped && !handle.isClosing) handle.react(OUT);
    },
    runAfterPoll() {
      for (let round = 0; round < MOST_PENDING && pending.length; round++) this.runPending();
    },
    state: () =>
      JSON.stringify([
        readyList.map(({ end: { held, address, remote } }) => [held, address, remote]),
        pending.length,
        changes.length,
        requests,
        [...active].map(({ end: { held, hasEnd, hasEnded } }) => [held, hasEnd, hasEnded]),
      ]),
  };
  const handleEvents = (end, signals) => {
    const { handle } = end;
    if (end.isClosed) return;
    if (!handle?.wants) {
      end.forget();
      return;
    }
    let events = signals & (handle.wants | ERR | HUP);
    if (events === ERR || events === HUP) events |= handle.wants & (IN | OUT);
    if (events) handle.react(events);
  };

  // --- requests -----------------------------------------------------------------------------------------
  const state = new Int32Array(5);
  const [READ, , WRITE_BYTES, WAS_ASYNC, LAST_ERROR] = [0, 1, 2, 3, 4];
  /** A request gets its id when it is given to the loop. */
  const begin = (request, type, trigger) => {
    const { defaultTriggerAsyncIdScope } = machine.load("internal/async_hooks");
    request.wrap = defaultTriggerAsyncIdScope(trigger, () => machine.wrap(request, type));
    Object.defineProperty(request, "wrap", { enumerable: false });
    requests++;
    return request;
  };
  const finish = (request, ...values) => {
    requests--;
    machine.callBack(request.wrap, () => request.oncomplete?.(...values));
  };
  class Request {
    getAsyncId() {
      return this.wrap?.id ?? -1;
    }
  }
  class WriteWrap extends Request {
    writeStatus = null;
  }
  class ShutdownWrap extends Request {}
  class TCPConnectWrap extends Request {}

  // --- handles ----------------------------------------------------------------------------------------
  class TCP {
    constructor(type) {
      const isServer = type === 1;
      const fields = {
        wrap: machine.wrap(this, isServer ? "TCPSERVERWRAP" : "TCPWRAP"),
        type: isServer ? "TCPSERVERWRAP" : "TCPWRAP",
        end: new End(),
        wants: 0,
        watched: 0,
        isReading: false,
        isUnref: false,
        isClosing: false,
        writes: [],
        written: [],
        connecting: null,
        shutting: null,
        wasShut: false,
        parser: null,
        delayed: 0,
        counts: [0, 0],
      };
      for (const [name, value] of Object.entries(fields))
        Object.defineProperty(this, name, { value, writable: true });
      this.end.handle = this;
    }
    get isStreamBase() {
      return true;
    }
    get fd() {
      return 20;
    }
    get bytesRead() {
      return this.counts[0];
    }
    get bytesWritten() {
      return this.counts[1];
    }
    get writeQueueSize() {
      return this.writes.reduce((sum, { bytes }) => sum + bytes.length, 0);
    }
    getAsyncId() {
      return this.wrap.id;
    }
    getProviderType() {
      return this.type;
    }
    ref() {
      this.isUnref = false;
    }
    unref() {
      this.isUnref = true;
    }
    hasRef() {
      return !this.isUnref;
    }
    setNoDelay() {
      return 0;
    }
    setKeepAlive() {
      return 0;
    }
    setBlocking() {
      return 0;
    }
    setTypeOfService() {
      return 0;
    }
    getTypeOfService() {
      return 0;
    }
    setSimultaneousAccepts() {}

    // --- addresses
    bind(address, port) {
      if (!LOCAL.test(address)) return uv.UV_EADDRNOTAVAIL;
      if (listening.has(port)) this.delayed = uv.UV_EADDRINUSE;
      this.end.address = { address, port: port || nextPort() };
      return 0;
    }
    bind6(address, port) {
      return this.bind(address, port);
    }
    getsockname(out) {
      return this.#nameOf(this.end.address, out);
    }
    getpeername(out) {
      return this.#nameOf(this.end.remote, out);
    }
    #nameOf(place, out) {
      if (!place) return uv.UV_ENOTCONN;
      const { address, port } = place;
      Object.assign(out, { address, family: address.includes(":") ? "IPv6" : "IPv4", port });
      return 0;
    }

    // --- a server
    listen() {
      if (this.delayed) return this.delayed;
      this.end.address ??= { address: "::", port: nextPort() };
      this.end.queue = [];
      listening.set(this.end.address.port, this.end);
      want(this, IN);
      updateActive(this);
      return 0;
    }
    #accept() {
      const end = this.end.queue.shift();
      if (!end) return;
      const { defaultTriggerAsyncIdScope } = machine.load("internal/async_hooks");
      const client = defaultTriggerAsyncIdScope(this.wrap.id, () => new TCP(0));
      client.end = end;
      end.handle = client;
      machine.callBack(this.wrap, () => this.onconnection(0, client));
    }

    // --- a client
    connect(request, address, port) {
      if (!LOCAL.test(address))
        machine.refuse(
          `The model has sockets only within one program, and no connection to ${address}`,
        );
      if (this.connecting) return uv.UV_EALREADY;
      this.end.connect(address, port);
      this.connecting = begin(request, "TCPCONNECTWRAP", this.wrap.id);
      want(this, OUT);
      return 0;
    }
    connect6(request, address, port) {
      return this.connect(request, address, port);
    }
    #connected() {
      const { connecting: request, end } = this;
      const { error } = end;
      end.error = 0; // as asking for it does
      this.connecting = null;
      if (error || !this.writes.length) leave(this, OUT);
      finish(request, error, this, request, !error, !error);
      if (error && !this.isClosing) this.#cancelWrites(uv.UV_ECANCELED);
    }

    // --- reading
    readStart() {
      if (this.isClosing) return uv.UV_EINVAL;
      this.isReading = true;
      want(this, IN);
      updateActive(this);
      return 0;
    }
    readStop() {
      if (!this.isReading) return 0;
      this.isReading = false;
      leave(this, IN);
      updateActive(this);
      return 0;
    }
    useUserBuffer(view) {
      this.userBuffer = view;
    }
    #read(events) {
      for (let count = 0; count < MOST_READS && this.isReading && !machine.isStopped; count++) {
        const bytes = this.end.receive();
        if (bytes === null) return want(this, IN);
        if (typeof bytes === "number") return this.#readEnd(bytes || uv.UV_EOF);
        this.counts[0] += bytes.length;
        this.#give(bytes);
        if (bytes.length < READ_BYTES) return this.#looksForEnd(events) && this.#readEnd(uv.UV_EOF);
      }
      return undefined;
    }
    /** Until libuv 1.52 the end that is there already is noticed with the last bytes. */
    #looksForEnd(events) {
      return SEES_END_AT_ONCE && events & HUP && this.isReading && !machine.isStopped;
    }
    #give(bytes) {
      if (this.parser) return this.parser.read(bytes);
      return machine.callBack(this.wrap, () => {
        state[READ] = bytes.length;
        const { userBuffer } = this;
        if (userBuffer) {
          new Uint8Array(userBuffer.buffer, userBuffer.byteOffset).set(bytes);
          const next = this.onread(undefined);
          if (next) this.userBuffer = next;
        } else this.onread(bytes.buffer);
      });
    }
    #readEnd(status) {
      this.isReading = false;
      leave(this, IN);
      updateActive(this);
      machine.callBack(this.wrap, () => {
        state[READ] = status;
        this.onread(undefined);
      });
    }

    // --- writing
    #write(request, bytes) {
      state[WRITE_BYTES] = bytes.length;
      state[WAS_ASYNC] = 0;
      state[LAST_ERROR] = 0;
      this.counts[1] += bytes.length;
      let count = 0;
      if (!this.connecting && !this.writes.length && !this.wasShut) count = this.end.send(bytes);
      if (count < 0) return count;
      if (count === bytes.length) return 0;
      state[WAS_ASYNC] = 1;
      const wrap = begin(request ?? new WriteWrap(), "WRITEWRAP", this.wrap.id);
      const isFirst = this.writes.length === 0;
      this.writes.push({ bytes: bytes.subarray(count), request: wrap });
      if (!this.connecting) {
        if (isFirst) this.#flush();
        else want(this, OUT);
      }
      return request === null ? wrap : 0;
    }
    #flush() {
      for (let round = 0; round <= MOST_READS && this.writes.length; round++) {
        const [first] = this.writes;
        const count = this.end.send(first.bytes);
        if (count >= 0 && count < first.bytes.length) {
          first.bytes = first.bytes.subarray(count);
          want(this, OUT);
          return;
        }
        this.writes.shift();
        this.written.push([first.request, count < 0 ? count : 0]);
        feed(this);
        if (count < 0) return leave(this, OUT);
      }
    }
    #tellWritten() {
      for (const [request, status] of this.written.splice(0))
        if (!machine.isStopped) finish(request, status, this, undefined);
    }
    #cancelWrites(status) {
      for (const { request } of this.writes.splice(0)) this.written.push([request, status]);
      this.#tellWritten();
    }
    writeBuffer(request, view) {
      return this.#write(request, new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
    }
    writev(request, chunks, isAllBuffers) {
      const { Buffer } = machine.load("buffer");
      const buffers = [];
      if (isAllBuffers) buffers.push(...chunks);
      else
        for (let at = 0; at < chunks.length; at += 2)
          buffers.push(
            typeof chunks[at] === "string" ? Buffer.from(chunks[at], chunks[at + 1]) : chunks[at],
          );
      return this.writeBuffer(request, Buffer.concat(buffers));
    }
    #writeText(request, text, encoding) {
      return this.writeBuffer(request, machine.load("buffer").Buffer.from(text, encoding));
    }
    writeUtf8String(request, text) {
      return this.#writeText(request, text, "utf8");
    }
    writeAsciiString(request, text) {
      return this.#writeText(request, text, "latin1");
    }
    writeLatin1String(request, text) {
      return this.#writeText(request, text, "latin1");
    }
    writeUcs2String(request, text) {
      return this.#writeText(request, text, "utf16le");
    }
    shutdown(request) {
      if (this.wasShut || this.shutting || this.isClosing || !this.end.isOpen)
        return uv.UV_ENOTCONN;
      this.shutting = begin(request, "SHUTDOWNWRAP", this.wrap.id);
      if (!this.writes.length) feed(this);
      return 0;
    }
    #drain() {
      if (!this.isClosing) leave(this, OUT);
      const { shutting: request } = this;
      if (!request) return;
      this.shutting = null;
      if (!this.isClosing) {
        this.end.end();
        this.wasShut = true;
      }
      finish(request, this.isClosing ? uv.UV_ECANCELED : 0);
    }

    // --- what the loop calls
    react(events) {
      if (this.end.queue) return this.#accept();
      if (this.connecting) return this.#connected();
      if (events & (IN | ERR | HUP)) this.#read(events);
      if (this.isClosing || machine.isStopped) return undefined;
      if (!(events & (OUT | ERR | HUP))) return undefined;
      this.#flush();
      this.#tellWritten();
      if (!this.writes.length) this.#drain();
      return undefined;
    }
    close(callback) {
      this.#close(callback, false);
    }
    reset(callback) {
      this.#close(callback, true);
      return 0;
    }
    #close(callback, isHard) {
      if (this.isClosing) return;
      this.isClosing = true;
      machine.trace?.closing?.(this.wrap.id);
      leave(this, IN | OUT);
      pending = pending.filter((entry) => entry !== this);
      this.isReading = false;
      updateActive(this);
      this.end.close(isHard);
      machine.closing.push(() => this.#finishClose(callback));
    }
    #finishClose(callback) {
      if (this.connecting) {
        const { connecting: request } = this;
        this.connecting = null;
        finish(request, uv.UV_ECANCELED, this, request, false, false);
      }
      this.#cancelWrites(uv.UV_ECANCELED);
      this.#drain();
      if (typeof callback === "function") machine.callBack(this.wrap, () => callback.call(this));
    }
  }

  const refusing = (words) =>
    class {
      constructor() {
        machine.refuse(`The model has no ${words}`);
      }
    };
  bindings.tcp_wrap = {
    TCP,
    TCPConnectWrap,
    constants: { SOCKET: 0, SERVER: 1, UV_TCP_IPV6ONLY: 1, UV_TCP_REUSEPORT: 2 },
  };
  bindings.pipe_wrap = {
    Pipe: refusing("pipes"),
    PipeConnectWrap: refusing("pipes"),
    constants: { SOCKET: 0, SERVER: 1, IPC: 2, UV_READABLE: 1, UV_WRITABLE: 2 },
  };
  bindings.stream_wrap = {
    LibuvStreamWrap: TCP,
    ShutdownWrap,
    WriteWrap,
    kReadBytesOrError: READ,
    kArrayBufferOffset: 1,
    kBytesWritten: WRITE_BYTES,
    kLastWriteWasAsync: WAS_ASYNC,
    kLastWriteErr: LAST_ERROR,
    streamBaseState: state,
  };
};
