// Evaluated inside the engine for a program that names `http`: what Node's C++ and llhttp do for its own modules. A parser
// is given bytes, by the program's socket or, on a server, by the handle itself, and tells of heads, bodies and ends.
(machine) => {
  const { bindings } = machine;
  const METHODS =
    "DELETE GET HEAD POST PUT CONNECT OPTIONS TRACE COPY LOCK MKCOL MOVE PROPFIND PROPPATCH SEARCH UNLOCK BIND " +
    "REBIND UNBIND ACL REPORT MKACTIVITY CHECKOUT MERGE M-SEARCH NOTIFY SUBSCRIBE UNSUBSCRIBE PATCH PURGE MKCALENDAR " +
    "LINK UNLINK SOURCE QUERY";
  const allMethods = METHODS.split(" ");
  const [REQUEST, RESPONSE] = [1, 2];
  const [ON_BEGIN, , ON_HEAD, ON_BODY, ON_END, ON_EXECUTE] = [0, 1, 2, 3, 4, 5];
  const MOST_HEAD_BYTES = 16 * 1024;
  const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
  const [SKIPS_BODY, UPGRADES] = [1, 2]; // what a head's callback may answer
  const textIn = (bytes) => machine.load("buffer").Buffer.from(bytes).latin1Slice();

  class ParseError extends Error {
    constructor(code, reason) {
      super(`Parse Error: ${reason}`);
      Object.assign(this, { code: `HPE_${code}`, reason });
    }
  }
  const fail = (code, reason) => {
    throw new ParseError(code, reason);
  };
  const has = (value, word) =>
    value
      ?.toLowerCase()
      .split(/[\s,]+/)
      .includes(word);

  class HTTPParser {
    initialize(type, resource, mostHeadBytes, _lenient, list) {
      const isRequest = type === REQUEST;
      const facts = {
        type,
        wrap: machine.wrap(resource, isRequest ? "HTTPINCOMINGMESSAGE" : "HTTPCLIENTREQUEST"),
        mostHeadBytes: mostHeadBytes || MOST_HEAD_BYTES,
        list: list ?? null,
        isInner: true,
        rest: [], // what has come of the next head or line
        restLength: 0,
        step: "idle",
        left: 0,
        startedAt: list ? machine.timeUs() : 0,
        consumed: null,
      };
      for (const [name, value] of Object.entries(facts))
        Object.defineProperty(this, name, { value, writable: true, configurable: true });
      this.list?.parsers.add(this);
    }

    // --- who gives the bytes
    consume(handle) {
      this.consumed = handle;
      handle.parser = this;
    }
    unconsume() {
      if (!this.consumed) return;
      this.consumed.parser = null;
      this.consumed = null;
    }
    /** Bytes that the handle has read. */
    read(bytes) {
      this.isInner = false;
      this.current = bytes;
      let result;
      try {
        result = this.#execute(bytes);
      } finally {
        this.isInner = true;
      }
      if (result === undefined || machine.isStopped || typeof this[ON_EXECUTE] !== "function")
        return;
      machine.callBack(this.wrap, () => this[ON_EXECUTE](result));
      this.current = null;
    }
    execute(view) {
      this.current = view;
      return this.#execute(new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
    }
    finish() {
      if (this.step === "until-end") this.#end();
      else if (this.step !== "idle" && this.step !== "over")
        return new ParseError("INVALID_EOF_STATE", "Invalid EOF state");
      return undefined;
    }
    getCurrentBuffer() {
      return machine.load("buffer").Buffer.from(this.current ?? []);
    }
    close() {
      this.remove();
    }
    free() {}
    remove() {
      this.list?.parsers.delete(this);
    }
    pause() {
      machine.refuse("The parser of the model cannot pause");
    }
    resume() {}
    duration() {
      return this.startedAt ? (machine.timeUs() - this.startedAt) / 1000 : 0;
    }
    headersCompleted() {
      return this.step !== "head" && this.step !== "idle";
    }

    /** Calls Node's function, in a scope of its own where no other of Node's functions runs. */
    #call(number, values, drains) {
      if (this.isInner) return this[number](...values);
      let result;
      const { emitBefore, emitAfter } = machine.load("internal/async_hooks");
      if (drains) {
        let isDone = false;
        machine.callBack(this.wrap, () => {
          result = this[number](...values);
          isDone = true;
        });
        this.hasFailed = !isDone;
      } else {
        const { id, trigger, resource, frame } = this.wrap;
        const answer = machine.attempt(() => {
          emitBefore(id, trigger, resource);
          machine.frame = frame;
          const value = this[number](...values);
          machine.frame = undefined;
          emitAfter(id);
          return value;
        });
        this.hasFailed = answer === undefined;
        result = answer?.value;
      }
      return result;
    }

    // --- the language
    /** The number of bytes that were used, or the error; undefined where Node's function has thrown. */
    #execute(bytes) {
      this.hasFailed = false;
      let at = 0;
      try {
        while (at < bytes.length && this.step !== "over") {
          at += this.#take(bytes.subarray(at));
          if (this.hasFailed || machine.isStopped) return undefined;
        }
      } catch (error) {
        if (!(error instanceof ParseError)) throw error;
        error.bytesParsed = at;
        this.step = "over";
        return error;
      }
      return at;
    }
    #take(bytes) {
      switch (this.step) {
        case "idle":
          this.#begin();
          return 0;
        case "head":
          return this.#takeHead(bytes);
        case "size":
          return this.#takeLine(bytes, (line) => {
            const size = /^([0-9a-f]+)\s*(;.*)?$/i.exec(line);
            if (!size) fail("INVALID_CHUNK_SIZE", "Invalid character in chunk size");
            this.left = Number.parseInt(size[1], 16);
            this.step = this.left ? "chunk" : "trailers";
          });
        case "trailers":
          return this.#takeLine(bytes, (line) => {
            if (line) this._headers?.push(...this.#headerOf(line));
            else this.#end();
          });
        case "chunk-end":
          return this.#takeLine(bytes, (line) => {
            if (line) fail("STRICT", "Expected LF after chunk data");
            this.step = "size";
          });
        default:
          return this.#takeBody(bytes);
      }
    }
    #begin() {
      this.step = "head";
      this.startedAt = machine.timeUs() || 1;
      if (typeof this[ON_BEGIN] === "function") this.#call(ON_BEGIN, [], false);
    }
    /** Bytes until the end that a function finds in the text; the rest is kept for the next ones. */
    #gather(bytes, endIn, most) {
      const before = textIn(Uint8Array.from(this.rest.flatMap((part) => [...part])));
      const text = before + textIn(bytes);
      const end = endIn(text);
      if ((end < 0 ? text.length : end) > most) fail("HEADER_OVERFLOW", "Header overflow");
      if (end < 0) {
        this.rest.push(bytes.slice());
        return [bytes.length, null];
      }
      this.rest = [];
      return [end - before.length, text.slice(0, end)];
    }
    #takeLine(bytes, then) {
      const [count, line] = this.#gather(
        bytes,
        (text) => text.indexOf("\r\n") + 2 || -1,
        this.mostHeadBytes,
      );
      if (line !== null) then(line.slice(0, -2));
      return count;
    }
    #takeHead(bytes) {
      const endIn = (text) => {
        const start = /^(\r\n)*/.exec(text)[0].length;
        const end = text.indexOf("\r\n\r\n", start);
        if (end < 0) this.#lookEarly(text.slice(start));
        return end < 0 ? -1 : end + 4;
      };
      const [count, head] = this.#gather(bytes, endIn, this.mostHeadBytes);
      if (head !== null)
        this.#head(
          head
            .replace(/^(\r\n)*/, "")
            .slice(0, -4)
            .split("\r\n"),
        );
      return count;
    }
    /** What is no request is refused before its end is there. */
    #lookEarly(text) {
      const word = /^[^ \r\n]*/.exec(text)[0];
      if (this.type === RESPONSE) {
        if (!"HTTP/".startsWith(word.slice(0, 5)))
          fail("INVALID_CONSTANT", "Expected HTTP/, RTSP/ or ICE/");
      } else if (
        !allMethods.some((method) =>
          word.length === text.length ? method.startsWith(word) : method === word,
        )
      )
        fail("INVALID_METHOD", "Invalid method encountered");
    }
    #headerOf(line) {
      const colon = line.indexOf(":");
      const name = line.slice(0, colon);
      if (colon < 0 || !TOKEN.test(name)) fail("INVALID_HEADER_TOKEN", "Invalid header token");
      const value = line.slice(colon + 1).replace(/^[ \t]+|[ \t]+$/g, "");
      for (let at = 0; at < value.length; at++) {
        const code = value.charCodeAt(at);
        if ((code < 32 && code !== 9) || code === 127)
          fail("INVALID_HEADER_TOKEN", "Invalid header value char");
      }
      return [name, value];
    }
    #head([start, ...lines]) {
      this.#lookEarly(`${start}\r\n`);
      const headers = lines.flatMap((line) => this.#headerOf(line));
      const fields = new Map();
      for (let at = 0; at < headers.length; at += 2) {
        const name = headers[at].toLowerCase();
        const before = fields.get(name);
        fields.set(name, before === undefined ? headers[at + 1] : `${before}, ${headers[at + 1]}`);
      }
      const isRequest = this.type === REQUEST;
      const parts = isRequest
        ? /^(\S+) (\S+) HTTP\/(\d)\.(\d)$/.exec(start)
        : /^HTTP\/(\d)\.(\d) (\d{3})(?: (.*))?$/.exec(start);
      if (!parts) fail("INVALID_VERSION", "Invalid HTTP version");
      const [major, minor] = isRequest ? [+parts[3], +parts[4]] : [+parts[1], +parts[2]];
      const status = isRequest ? undefined : +parts[3];
      const connection = fields.get("connection");
      const size = fields.get("content-length");
      const isChunked = has(fields.get("transfer-encoding"), "chunked");
      if (size !== undefined && !/^\d+$/.test(size))
        fail("INVALID_CONTENT_LENGTH", "Invalid character in Content-Length");
      if (size !== undefined && fields.has("transfer-encoding"))
        fail("INVALID_TRANSFER_ENCODING", "Transfer-Encoding can't be present with Content-Length");
      const isUpgrade =
        (isRequest && parts[1] === "CONNECT") ||
        (fields.has("upgrade") && has(connection, "upgrade") && (isRequest || status === 101));
      const isWithoutBody =
        status !== undefined && (status < 200 || status === 204 || status === 304);
      const endsWithConnection = !isRequest && !isWithoutBody && !isChunked && size === undefined;
      const isKept =
        (major === 1 && minor === 1 ? !has(connection, "close") : has(connection, "keep-alive")) &&
        !endsWithConnection;
      this.step = "body";
      const answer = this.#call(
        ON_HEAD,
        [
          major,
          minor,
          headers,
          isRequest ? allMethods.indexOf(parts[1]) : undefined,
          isRequest ? parts[2] : undefined,
          status,
          isRequest ? undefined : (parts[4] ?? ""),
          isUpgrade,
          isKept,
        ],
        false,
      );
      if (this.hasFailed || machine.isStopped) return;
      this.isUpgraded = isUpgrade || answer === UPGRADES;
      if (this.isUpgraded || answer === SKIPS_BODY || isWithoutBody) this.#end();
      else if (isChunked) this.step = "size";
      else if (size !== undefined) {
        this.left = Number(size);
        if (!this.left) this.#end();
      } else if (endsWithConnection) this.step = "until-end";
      else this.#end();
    }
    #takeBody(bytes) {
      const isOpen = this.step === "until-end";
      const part = isOpen ? bytes : bytes.subarray(0, this.left);
      const { Buffer } = machine.load("buffer");
      this.#call(ON_BODY, [Buffer.from(part)], true);
      if (isOpen || this.hasFailed) return part.length;
      this.left -= part.length;
      if (!this.left && this.step === "chunk") this.step = "chunk-end";
      else if (!this.left) this.#end();
      return part.length;
    }
    #end() {
      this.step = this.isUpgraded ? "over" : "idle";
      this.startedAt = 0;
      this.#call(ON_END, [], false);
    }
  }
  Object.assign(HTTPParser, {
    REQUEST,
    RESPONSE,
    kOnMessageBegin: ON_BEGIN,
    kOnHeaders: 1,
    kOnHeadersComplete: ON_HEAD,
    kOnBody: ON_BODY,
    kOnMessageComplete: ON_END,
    kOnExecute: ON_EXECUTE,
    kOnTimeout: 6,
    kLenientNone: 0,
    kLenientHeaders: 1,
    kLenientHeaderValueRelaxed: 1024,
    kLenientAll: 1023,
  });

  /** The parsers of a server: all, those between two requests, those within one, those that take too long. */
  class ConnectionsList {
    constructor() {
      Object.defineProperty(this, "parsers", { value: new Set() });
    }
    all() {
      return [...this.parsers];
    }
    idle() {
      return this.all().filter(({ startedAt }) => !startedAt);
    }
    active() {
      return this.all().filter(({ startedAt }) => startedAt);
    }
    expired(headersMs, requestMs) {
      return this.active().filter((parser) => {
        const ms = parser.duration();
        const isLate =
          (headersMs && !parser.headersCompleted() && ms > headersMs) ||
          (requestMs && ms > requestMs);
        return Boolean(isLate);
      });
    }
  }
  bindings.http_parser = { methods: allMethods, allMethods, HTTPParser, ConnectionsList };
};
