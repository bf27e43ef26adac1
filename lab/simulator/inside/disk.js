// Evaluated inside the engine after loop.js: requests as Node's C++ makes them, and a small disk for
// Node's own `fs`, in memory: the program's file, its folder, and what the program writes.
(machine) => {
  const { bindings, settings } = machine;
  const FILE_MS = 0.015; // what a thread takes for a call of the file system

  // --- requests: what async_hooks and AsyncLocalStorage know of them ---------------------------------
  machine.detail = Symbol("detail"); // what a trace tells of a request
  const hooks = () => machine.load("internal/async_hooks");
  /** Gives an object its async id, as AsyncWrap's constructor does. */
  machine.wrap = (resource, type) => {
    const { newAsyncId, getDefaultTriggerAsyncId, emitInit, initHooksExist } = hooks();
    const wrap = { id: newAsyncId(), trigger: getDefaultTriggerAsyncId(), resource };
    wrap.frame = machine.frame;
    resource[machine.detail] = {};
    Object.defineProperty(resource, machine.detail, { enumerable: false });
    if (initHooksExist()) emitInit(wrap.id, type, wrap.trigger, resource);
    return wrap;
  };
  /** Calls back in the scope of a request, as MakeCallback does, and works off ticks and promises. */
  machine.callBack = ({ id, trigger, resource, frame }, call) => {
    const { emitBefore, emitAfter } = hooks();
    machine.makeCallback(() => {
      emitBefore(id, trigger, resource);
      machine.frame = frame;
      try {
        call();
      } finally {
        machine.frame = undefined;
        if (!machine.isStopped) emitAfter(id);
      }
    });
  };
  /** Work of the pool for a request: `perform` on the thread, `done` in the poll phase. */
  machine.request = (wrap, { ms, isSlow = false, call, perform, done: callback }) => {
    wrap.resource[machine.detail].call = call;
    let result;
    machine.work({
      id: wrap.id,
      ms,
      isSlow,
      perform() {
        try {
          result = { value: perform() };
        } catch (error) {
          result = { error };
        }
      },
      done: () => machine.callBack(wrap, () => callback(result.error, result.value)),
    });
  };

  // --- errors of libuv ------------------------------------------------------------------------------
  const ERRORS = {
    ENOENT: [-2, "no such file or directory"],
    EEXIST: [-17, "file already exists"],
    ENOTDIR: [-20, "not a directory"],
    EISDIR: [-21, "illegal operation on a directory"],
    EBADF: [-9, "bad file descriptor"],
    EACCES: [-13, "permission denied"],
    EPERM: [-1, "operation not permitted"],
    EINVAL: [-22, "invalid argument"],
    ENOTEMPTY: [-39, "directory not empty"],
    ENOTFOUND: [-3008, "getaddrinfo ENOTFOUND"],
    EPIPE: [-32, "broken pipe"],
    ENOTSUP: [-95, "operation not supported on socket"],
    EADDRINUSE: [-98, "address already in use"],
    EADDRNOTAVAIL: [-99, "address not available"],
    ECONNRESET: [-104, "connection reset by peer"],
    ENOTCONN: [-107, "socket is not connected"],
    ETIMEDOUT: [-110, "connection timed out"],
    ECONNREFUSED: [-111, "connection refused"],
    EALREADY: [-114, "connection already in progress"],
    ECANCELED: [-125, "operation canceled"],
    EOF: [-4095, "end of file"],
  };
  const refuseError = (what) =>
    machine.refuse(`The model does not know all errors of a system (${what})`);
  machine.refuseError = refuseError;
  bindings.uv = {
    errname: (number) =>
      Object.keys(ERRORS).find((code) => ERRORS[code][0] === number) ?? refuseError(number),
    getErrorMap() {
      const codes = Object.entries(ERRORS).map(([code, [number, words]]) => [
        number,
        [code, words],
      ]);
      const codeByNumber = new Map(codes);
      const refuseAll = { value: () => refuseError("a list of them") };
      return Object.defineProperties(new Map(codes), {
        get: { value: (number) => codeByNumber.get(number) ?? refuseError(number) },
        has: { value: (number) => codeByNumber.has(number) || refuseError(number) },
        ...{ keys: refuseAll, values: refuseAll, entries: refuseAll, forEach: refuseAll },
        [Symbol.iterator]: refuseAll,
        size: { get: () => refuseError("how many there are") },
      });
    },
    getErrorMessage: (number) => bindings.uv.getErrorMap().get(number)[1],
    ...Object.fromEntries(Object.entries(ERRORS).map(([code, [number]]) => [`UV_${code}`, number])),
  };
  const failure = (code, syscall, path, dest) => {
    const [errno, words] = ERRORS[code];
    const places = [path, dest].filter((place) => place !== undefined).map((place) => `'${place}'`);
    const error = new Error(
      `${code}: ${words}, ${[syscall, places.join(" -> ")].join(" ").trim()}`,
    );
    Object.assign(error, { errno, code, syscall });
    if (path !== undefined) error.path = path;
    if (dest !== undefined) error.dest = dest;
    return error;
  };

  // --- the disk ---------------------------------------------------------------------------------------
  const [DIR, FILE] = [0o040000, 0o100000];
  const [WRONLY, RDWR, CREAT, EXCL, TRUNC, APPEND, DIRECTORY] = [1, 2, 64, 128, 512, 1024, 65536];
  const entries = new Map();
  const descriptors = new Map();
  let lastInode = 100;
  machine.missing = new Set(); // files that the program asked for and the disk has not
  const now = () => settings.epoch + machine.timeUs() / 1000;
  const addEntry = (path, kind, bytes = new Uint8Array(0), mode = kind === DIR ? 0o755 : 0o644) => {
    const at = now();
    const entry = {
      kind,
      bytes,
      mode,
      inode: ++lastInode,
      atime: at,
      mtime: at,
      ctime: at,
      birth: at,
    };
    entries.set(path, entry);
    return entry;
  };
  const absolute = (path) => {
    const text = typeof path === "string" ? path : machine.textOf(path);
    const parts = [];
    for (const part of (text.startsWith("/") ? text : `${machine.process.cwd()}/${text}`).split(
      "/",
    ))
      if (part === "..") parts.pop();
      else if (part && part !== ".") parts.push(part);
    return `/${parts.join("/")}`;
  };
  const parentOf = (path) => path.slice(0, Math.max(1, path.lastIndexOf("/")));
  const makeFolders = (path) => {
    if (path !== "/" && !entries.has(path)) makeFolders(parentOf(path));
    if (!entries.has(path)) addEntry(path, DIR);
  };
  /** `given` is what the host has: the program, and other files and folders, by their paths. */
  machine.fillDisk = (given) => {
    for (const path of ["/", "/tmp", "/dev", machine.process.cwd()]) makeFolders(path);
    addEntry("/dev/null", FILE);
    for (const [path, { kind, latin1 }] of Object.entries(given)) {
      makeFolders(kind === "folder" ? path : parentOf(path));
      if (kind !== "folder")
        addEntry(
          path,
          FILE,
          Uint8Array.from(latin1, (letter) => letter.charCodeAt(0)),
        );
    }
  };
  machine.placeOf = (path) => absolute(path);
  const textOfPath = (path) => (typeof path === "string" ? path : machine.textOf(path));
  /** What is at a path; what is not there may be on the disk of the host. */
  const entryAt = (place) => {
    const entry = entries.get(place);
    if (!entry) machine.lack?.("data", place, place);
    return entry;
  };
  const find = (path, syscall) => {
    const place = absolute(path);
    const entry = entryAt(place);
    if (entry) return entry;
    for (let up = parentOf(place); up !== "/"; up = parentOf(up))
      if (entries.get(up)?.kind === FILE) throw failure("ENOTDIR", syscall, textOfPath(path));
    machine.missing.add(textOfPath(path));
    throw failure("ENOENT", syscall, textOfPath(path));
  };
  const parentFor = (path, syscall) => {
    const parent = entryAt(parentOf(absolute(path)));
    if (!parent) throw failure("ENOENT", syscall, textOfPath(path));
    if (parent.kind !== DIR) throw failure("ENOTDIR", syscall, textOfPath(path));
  };
  const childrenOf = (path) => {
    const start = path === "/" ? "/" : `${path}/`;
    return [...entries.keys()]
      .filter(
        (other) =>
          other !== path && other.startsWith(start) && !other.slice(start.length).includes("/"),
      )
      .map((other) => other.slice(start.length))
      .sort();
  };
  const fileOf = (descriptor, syscall) => {
    const open = descriptors.get(descriptor);
    if (!open && descriptor >= 0 && descriptor <= 2)
      machine.refuseFor(`terminal (file descriptor ${descriptor})`);
    if (!open) throw failure("EBADF", syscall);
    return open;
  };
  const statOf = ({ kind, mode, inode, bytes, atime, mtime, ctime, birth }, isBig) => {
    machine.asked.chance = true;
    const times = [atime, mtime, ctime, birth].flatMap((at) => [
      Math.floor(at / 1000),
      Math.round((at % 1000) * 1e6),
    ]);
    const size = kind === DIR ? 4096 : bytes.length;
    const values = [
      1,
      kind | mode,
      1,
      1000,
      1000,
      0,
      4096,
      inode,
      size,
      Math.ceil(size / 512),
      ...times,
    ];
    return isBig ? BigInt64Array.from(values.map(BigInt)) : Float64Array.from(values);
  };
  const write = (entry, bytes, position) => {
    if (position + bytes.length > entry.bytes.length) {
      const longer = new Uint8Array(position + bytes.length);
      longer.set(entry.bytes);
      entry.bytes = longer;
    }
    entry.bytes.set(bytes, position);
    entry.mtime = entry.ctime = now();
  };
  const bytesIn = (view, offset = 0, length = view.byteLength - offset) =>
    new Uint8Array(view.buffer, view.byteOffset + offset, length);
  const hasPosition = (position) =>
    (typeof position === "number" && position >= 0) ||
    (typeof position === "bigint" && position >= 0n);

  // The mode of `access` and `copyFile`, as Node's binding checks it before any work begins.
  const EXECUTABLE = 1;
  const validateMode = (mode) => {
    if (mode === null || mode === undefined) return;
    if (typeof mode !== "number")
      throw Object.assign(new TypeError("mode must be int32 or null/undefined"), {
        code: "ERR_INVALID_ARG_TYPE",
      });
    if (!(mode > -1 && mode < 8)) {
      const bounds = Number.isNaN(mode) ? "" : ": >= 0 && <= 7";
      throw Object.assign(new RangeError(`mode is out of range${bounds}`), {
        code: "ERR_OUT_OF_RANGE",
      });
    }
  };
  let temporaryFolders = 0;
  // What each call does on its thread, by its name in Node's binding: [name of the system call, body].
  const openFile = (path, flags, mode = 0o666) => {
    const place = absolute(path);
    let entry = entryAt(place);
    if (entry && flags & CREAT && flags & EXCL) throw failure("EEXIST", "open", textOfPath(path));
    if (!entry && flags & CREAT) {
      parentFor(path, "open");
      entry = addEntry(place, FILE, undefined, mode & ~0o022);
    }
    entry ??= find(path, "open");
    const writes = flags & (WRONLY | RDWR);
    if (entry.kind === DIR && writes) throw failure("EISDIR", "open", textOfPath(path));
    if (entry.kind === FILE && flags & DIRECTORY)
      throw failure("ENOTDIR", "open", textOfPath(path));
    if (flags & TRUNC && writes) entry.bytes = new Uint8Array(0);
    let descriptor = 17; // Node has some open already
    while (descriptors.has(descriptor)) descriptor++;
    descriptors.set(descriptor, { entry, flags, position: 0 });
    return descriptor;
  };
  const readInto = (descriptor, view, offset, length, position) => {
    const open = fileOf(descriptor, "read");
    if (open.entry.kind === DIR) throw failure("EISDIR", "read");
    if ((open.flags & 3) === WRONLY) throw failure("EBADF", "read");
    const from = hasPosition(position) ? Number(position) : open.position;
    const bytes = open.entry.bytes.subarray(from, from + length);
    bytesIn(view, offset).set(bytes);
    if (!hasPosition(position)) open.position += bytes.length;
    return bytes.length;
  };
  const writeFrom = (descriptor, bytes, position) => {
    if (descriptor === 1 || descriptor === 2) {
      machine.print(descriptor, machine.textOf(bytes));
      return bytes.length;
    }
    const open = fileOf(descriptor, "write");
    if (!(open.flags & (WRONLY | RDWR))) throw failure("EBADF", "write");
    const isAtEnd = open.flags & APPEND;
    const start = hasPosition(position) ? Number(position) : open.position;
    write(open.entry, bytes, isAtEnd ? open.entry.bytes.length : start);
    if (!hasPosition(position)) open.position = start + bytes.length;
    return bytes.length;
  };
  const remove = (place) => {
    for (const child of childrenOf(place))
      remove(place === "/" ? `/${child}` : `${place}/${child}`);
    entries.delete(place);
  };
  const readFolder = (path, encoding, withTypes) => {
    const entry = find(path, "scandir");
    if (entry.kind !== DIR) throw failure("ENOTDIR", "scandir", textOfPath(path));
    const place = absolute(path);
    machine.lack?.("folder", place, place);
    const children = childrenOf(place);
    const { Buffer } = machine.load("buffer");
    const names = encoding === "buffer" ? children.map((name) => Buffer.from(name)) : children;
    if (!withTypes) return names;
    const kindOf = (name) => entries.get(place === "/" ? `/${name}` : `${place}/${name}`).kind;
    return [names, children.map((name) => (kindOf(name) === DIR ? 2 : 1))];
  };
  const makeFolder = (path, mode, isRecursive) => {
    const place = absolute(path);
    const there = entryAt(place);
    if (there && !(isRecursive && there.kind === DIR))
      throw failure("EEXIST", "mkdir", textOfPath(path));
    if (there) return undefined;
    if (!isRecursive) {
      parentFor(path, "mkdir");
      addEntry(place, DIR, undefined, mode & ~0o022);
      return undefined;
    }
    let first = place;
    while (!entries.has(parentOf(first))) first = parentOf(first);
    makeFolders(place);
    return first;
  };
  const CALLS = {
    access: [
      "access",
      (path, mode) => {
        const entry = find(path, "access");
        if (mode & EXECUTABLE && entry.kind !== DIR && !(entry.mode & 0o111))
          throw failure("EACCES", "access", textOfPath(path));
      },
    ],
    open: ["open", openFile],
    close: [
      "close",
      (descriptor) => {
        fileOf(descriptor, "close");
        descriptors.delete(descriptor);
      },
    ],
    read: ["read", readInto],
    readBuffers: [
      "read",
      (descriptor, views, position) => {
        let total = 0;
        for (const view of views) {
          const at = hasPosition(position) ? Number(position) + total : null;
          const count = readInto(descriptor, view, 0, view.byteLength, at);
          total += count;
          if (count < view.byteLength) break;
        }
        return total;
      },
    ],
    writeBuffer: [
      "write",
      (descriptor, view, offset, length, position) =>
        writeFrom(descriptor, bytesIn(view, offset ?? 0, length ?? undefined), position),
    ],
    writeBuffers: [
      "write",
      (descriptor, views, position) => {
        let total = 0;
        for (const view of views)
          total += writeFrom(
            descriptor,
            bytesIn(view),
            hasPosition(position) ? Number(position) + total : null,
          );
        return total;
      },
    ],
    writeString: [
      "write",
      (descriptor, text, position, encoding) =>
        writeFrom(
          descriptor,
          machine.bytesOf(
            text,
            machine.load("internal/util").normalizeEncoding(encoding) ?? "utf8",
          ),
          position,
        ),
    ],
    stat: ["stat", (path, isBig) => statOf(find(path, "stat"), isBig)],
    lstat: ["lstat", (path, isBig) => statOf(find(path, "lstat"), isBig)],
    fstat: ["fstat", (descriptor, isBig) => statOf(fileOf(descriptor, "fstat").entry, isBig)],
    readdir: ["scandir", (path, encoding, withTypes) => readFolder(path, encoding, withTypes)],
    readdirRecursive: [
      "scandir",
      (path, _encoding, withTypes) => {
        const [names, types, counts, folders] = [[], [], [], [""]];
        for (const folder of folders) {
          const [children, kinds] = readFolder(
            folder ? `${textOfPath(path)}/${folder}` : path,
            "utf8",
            true,
          );
          counts.push(children.length);
          types.push(...kinds);
          for (const [at, name] of children.entries()) {
            const place = folder ? `${folder}/${name}` : name;
            names.push(withTypes ? name : place);
            if (kinds[at] === 2) folders.push(place);
          }
        }
        return withTypes ? [names, types, counts, folders] : names;
      },
    ],
    mkdir: ["mkdir", makeFolder],
    mkdtemp: [
      "mkdtemp",
      (prefix, _encoding, request) => {
        const suffix = String(temporaryFolders + 1).padStart(6, "abcdef");
        const path = `${textOfPath(prefix)}${suffix}`;
        // Node's message of the synchronous call has the template, that of the others the name that was tried.
        parentFor(request ? path : `${textOfPath(prefix)}XXXXXX`, "mkdtemp");
        temporaryFolders++;
        addEntry(absolute(path), DIR, undefined, 0o700);
        return path;
      },
    ],
    rmdir: [
      "rmdir",
      (path) => {
        if (find(path, "rmdir").kind !== DIR) throw failure("ENOTDIR", "rmdir", textOfPath(path));
        machine.lack?.("folder", absolute(path), path);
        if (childrenOf(absolute(path)).length)
          throw failure("ENOTEMPTY", "rmdir", textOfPath(path));
        entries.delete(absolute(path));
      },
    ],
    unlink: [
      "unlink",
      (path) => {
        if (find(path, "unlink").kind === DIR) throw failure("EISDIR", "unlink", textOfPath(path));
        entries.delete(absolute(path));
      },
    ],
    rename: [
      "rename",
      (from, to) => {
        const entry = entryAt(absolute(from));
        if (!entry) throw failure("ENOENT", "rename", textOfPath(from), textOfPath(to));
        parentFor(to, "rename");
        const [start, end] = [absolute(from), absolute(to)];
        for (const [path, moved] of [...entries])
          if (path === start || path.startsWith(`${start}/`)) {
            entries.delete(path);
            entries.set(end + path.slice(start.length), moved);
          }
      },
    ],
    copyFile: [
      "copyfile",
      (from, to, mode) => {
        const entry = entryAt(absolute(from));
        if (!entry) throw failure("ENOENT", "copyfile", textOfPath(from), textOfPath(to));
        if (entryAt(absolute(to)) && mode & 1)
          throw failure("EEXIST", "copyfile", textOfPath(from), textOfPath(to));
        // COPYFILE_FICLONE_FORCE: the disk of the model, like ext4, cannot share blocks between two files.
        if (mode & 4) throw failure("ENOTSUP", "copyfile", textOfPath(from), textOfPath(to));
        addEntry(absolute(to), FILE, entry.bytes.slice(), entry.mode);
      },
    ],
    ftruncate: [
      "ftruncate",
      (descriptor, length = 0) => {
        const { entry } = fileOf(descriptor, "ftruncate");
        const bytes = new Uint8Array(length);
        bytes.set(entry.bytes.subarray(0, length));
        entry.bytes = bytes;
      },
    ],
    fsync: ["fsync", (descriptor) => void fileOf(descriptor, "fsync")],
    fdatasync: ["fdatasync", (descriptor) => void fileOf(descriptor, "fdatasync")],
    chmod: ["chmod", (path, mode) => void Object.assign(find(path, "chmod"), { mode })],
    fchmod: [
      "fchmod",
      (descriptor, mode) => void Object.assign(fileOf(descriptor, "fchmod").entry, { mode }),
    ],
    utimes: [
      "utime",
      (path, atime, mtime) =>
        void Object.assign(find(path, "utime"), { atime: atime * 1000, mtime: mtime * 1000 }),
    ],
    realpath: [
      "realpath",
      (path) => {
        find(path, "realpath");
        return absolute(path);
      },
    ],
    readlink: [
      "readlink",
      (path) => {
        find(path, "readlink");
        throw failure("EINVAL", "readlink", textOfPath(path));
      },
    ],
  };

  // --- the binding of fs ------------------------------------------------------------------------------
  class FSReqCallback {
    constructor() {
      this.wrap = machine.wrap(this, "FSREQCALLBACK");
      Object.defineProperty(this, "wrap", { enumerable: false });
    }
  }
  const USE_PROMISES = Symbol("fs_use_promises_symbol");
  const settle = (name, perform, adapt = (value) => value) => {
    const holder = {};
    const promise = new Promise((resolve, reject) => Object.assign(holder, { resolve, reject }));
    const wrap = machine.wrap({}, "FSREQPROMISE");
    machine.request(wrap, {
      ms: FILE_MS,
      call: name,
      perform,
      done: (error, value) => (error ? holder.reject(error) : holder.resolve(adapt(value))),
    });
    return promise;
  };
  const asynchronous = (name, perform, request) => {
    machine.request(request.wrap, {
      ms: FILE_MS,
      call: name,
      perform,
      done: (error, value) => (error ? request.oncomplete(error) : request.oncomplete(null, value)),
    });
  };
  const OF_DESCRIPTORS = new Set(
    "close read readBuffers writeBuffer writeBuffers writeString fstat ftruncate fsync fdatasync fchmod".split(
      " ",
    ),
  );
  const call = (name, syscall, body) =>
    function called(...values) {
      if (OF_DESCRIPTORS.has(name) && !values.includes(USE_PROMISES))
        machine.load("internal/validators").validateInt32(values[0], "fd", 0);
      if (name === "access") validateMode(values[1]);
      if (name === "copyFile") validateMode(values[2]);
      const request = values.find((value) => value instanceof FSReqCallback);
      if (request) return asynchronous(syscall, () => body(...values), request);
      if (values.includes(USE_PROMISES)) return settle(syscall, () => body(...values));
      try {
        return body(...values);
      } catch (error) {
        const [, , , isQuiet] = values;
        // `throwIfNoEntry: false`
        if (/^l?stat$/.test(name) && isQuiet === false)
          if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
        throw error;
      }
    };

  class FileHandle {
    constructor(descriptor) {
      this.descriptor = descriptor;
      this.wrap = machine.wrap(this, "FILEHANDLE");
    }
    get fd() {
      return this.descriptor;
    }
    getAsyncId() {
      return this.wrap.id;
    }
    close() {
      const { descriptor } = this;
      this.descriptor = -1;
      return settle("close", () => void descriptors.delete(descriptor));
    }
    closeSync() {
      descriptors.delete(this.descriptor);
      this.descriptor = -1;
    }
    releaseFD() {
      const { descriptor } = this;
      this.descriptor = -1;
      return descriptor;
    }
    onread() {}
  }

  const readWhole = (path, flags) => {
    const isDescriptor = typeof path === "number";
    const descriptor = isDescriptor ? path : openFile(path, flags);
    try {
      const open = fileOf(descriptor, "read");
      if (open.entry.kind === DIR) throw failure("EISDIR", "read");
      const bytes = open.entry.bytes.slice(isDescriptor ? open.position : 0);
      open.position = open.entry.bytes.length;
      return bytes;
    } finally {
      if (!isDescriptor) descriptors.delete(descriptor);
    }
  };
  const writeWhole = (path, bytes, flags, mode) => {
    const isDescriptor = typeof path === "number";
    const descriptor = isDescriptor ? path : openFile(path, flags, mode);
    try {
      writeFrom(descriptor, bytes, null);
    } finally {
      if (!isDescriptor) descriptors.delete(descriptor);
    }
  };
  /** A whole file in one trip to the pool, as Node does since 26.8 and 26.9. */
  class Job {
    run() {
      const wrap = machine.wrap(this, "FSREQCALLBACK");
      machine.request(wrap, {
        ms: 2 * FILE_MS,
        call: this.call,
        perform: () => this.perform(),
        done: (error, values) => (error ? this.ondone(error) : this.ondone(...values)),
      });
    }
  }
  class ReadFileJob extends Job {
    constructor(path, flags, most) {
      super();
      Object.assign(this, { path, flags, most });
    }
    get call() {
      return "open, fstat, read, close";
    }
    perform() {
      const descriptor = openFile(this.path, this.flags);
      const { entry } = descriptors.get(descriptor);
      const size = entry.bytes.length;
      if (entry.kind === FILE && size > this.most) return [null, undefined, descriptor, size];
      descriptors.delete(descriptor);
      if (entry.kind === DIR) throw failure("EISDIR", "read");
      return [null, machine.load("buffer").Buffer.from(entry.bytes), -1, size];
    }
  }
  class WriteFileJob extends Job {
    constructor(path, flags, mode, data) {
      super();
      Object.assign(this, { path, flags, mode, data });
    }
    get call() {
      return "open, write, close";
    }
    perform() {
      writeWhole(this.path, bytesIn(this.data), this.flags, this.mode);
      return [null];
    }
  }

  const refuse = (name) => () => machine.refuse(`The disk of the model has no fs.${name}()`);
  bindings.fs = new Proxy(
    {
      ...Object.fromEntries(
        Object.entries(CALLS).map(([name, [syscall, body]]) => [name, call(name, syscall, body)]),
      ),
      FSReqCallback,
      FileHandle,
      ReadFileJob,
      WriteFileJob,
      kUsePromises: USE_PROMISES,
      kFsStatsFieldsNumber: 18,
      statValues: new Float64Array(36),
      bigintStatValues: new BigInt64Array(36),
      existsSync: (path) => entryAt(absolute(path)) !== undefined,
      internalModuleStat: (...values) => {
        const entry = entryAt(absolute(values.at(-1)));
        return entry ? (entry.kind === DIR ? 1 : 0) : -2;
      },
      getFormatOfExtensionlessFile: () => 0,
      legacyMainResolve: () => 0,
      openFileHandle: (path, flags, mode) =>
        settle(
          "open",
          () => openFile(path, flags, mode),
          (descriptor) => new FileHandle(descriptor),
        ),
      readFileUtf8: (path, flags) => machine.textOf(readWhole(path, flags)),
      writeFileUtf8: (path, text, flags, mode) =>
        writeWhole(path, machine.bytesOf(text), flags, mode),
      rmSync(path, _retries, isRecursive) {
        const entry = find(path, "rm");
        if (entry.kind === DIR && !isRecursive) throw failure("EISDIR", "rm", textOfPath(path));
        remove(absolute(path));
      },
      cpSyncCheckPaths() {},
    },
    {
      get: (values, name) =>
        name in values || typeof name === "symbol" ? values[name] : refuse(name),
    },
  );
  bindings.fs_dir = new Proxy({}, { get: (_, name) => refuse(name) });
  bindings.fs_event_wrap = {
    FSEvent: class FSEvent {
      constructor() {
        machine.refuse(
          "The disk of the model has no fs.watch(), because only the program " + "writes to it",
        );
      }
    },
  };
  bindings.permission = { has: () => true };
  bindings.constants.fs = {
    UV_FS_SYMLINK_DIR: 1,
    UV_FS_SYMLINK_JUNCTION: 2,
    O_RDONLY: 0,
    O_WRONLY: WRONLY,
    O_RDWR: RDWR,
    UV_DIRENT_UNKNOWN: 0,
    UV_DIRENT_FILE: 1,
    UV_DIRENT_DIR: 2,
    UV_DIRENT_LINK: 3,
    UV_DIRENT_FIFO: 4,
    UV_DIRENT_SOCKET: 5,
    UV_DIRENT_CHAR: 6,
    UV_DIRENT_BLOCK: 7,
    S_IFMT: 0o170000,
    S_IFREG: FILE,
    S_IFDIR: DIR,
    S_IFCHR: 0o020000,
    S_IFBLK: 0o060000,
    S_IFIFO: 0o010000,
    S_IFLNK: 0o120000,
    S_IFSOCK: 0o140000,
    O_CREAT: CREAT,
    O_EXCL: EXCL,
    UV_FS_O_FILEMAP: 0,
    O_NOCTTY: 256,
    O_TRUNC: TRUNC,
    O_APPEND: APPEND,
    O_DIRECTORY: DIRECTORY,
    O_NOATIME: 262144,
    O_NOFOLLOW: 131072,
    O_SYNC: 1052672,
    O_DSYNC: 4096,
    O_DIRECT: 16384,
    O_NONBLOCK: 2048,
    S_IRWXU: 0o700,
    S_IRUSR: 0o400,
    S_IWUSR: 0o200,
    S_IXUSR: 0o100,
    S_IRWXG: 0o070,
    S_IRGRP: 0o040,
    S_IWGRP: 0o020,
    S_IXGRP: 0o010,
    S_IRWXO: 0o007,
    S_IROTH: 0o004,
    S_IWOTH: 0o002,
    S_IXOTH: 0o001,
    F_OK: 0,
    R_OK: 4,
    W_OK: 2,
    X_OK: 1,
    UV_FS_COPYFILE_EXCL: 1,
    COPYFILE_EXCL: 1,
    UV_FS_COPYFILE_FICLONE: 2,
    COPYFILE_FICLONE: 2,
    UV_FS_COPYFILE_FICLONE_FORCE: 4,
    COPYFILE_FICLONE_FORCE: 4,
  };
  const errnos = Object.entries(ERRORS).map(([code, [number]]) => [code, -number]);
  const errnosOfLinux = errnos.filter(([, number]) => number < 1000); // and not of libuv
  machine.errno = { __proto__: null, ...Object.fromEntries(errnosOfLinux) };
};
