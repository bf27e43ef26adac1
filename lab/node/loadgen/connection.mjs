// One connection slot: at most one request in flight, whose start time belongs to it alone. When a socket fails or closes, its
// request is finished (answered, error, timeout) before another may start; the next request then opens a new socket.
import { Socket } from "node:net";
import { ResponseParser } from "./http-response-parser.mjs";
import { MalformedResponse } from "./http-syntax.mjs";
import {
  CLOSED_EARLY,
  IN_FLIGHT,
  MALFORMED,
  REFUSED,
  RESET,
  SOCKET_ERROR,
  TIMED_OUT,
  WRONG_BODY,
} from "./rows.mjs";
import { LATE_AFTER_MS } from "./stream.mjs";

// All sockets read into this one buffer: each chunk is dealt with before the next is read, so nothing is allocated per chunk.
const READ_BYTES = 65_536;
const readBuffer = Buffer.from(new ArrayBuffer(READ_BYTES));
const readWords = new Int32Array(readBuffer.buffer);

// After `Connection: close` the server closes first, as HTTP wants it (TIME_WAIT stays on its side); the old socket waits for that.
const LINGER_MS = 1_000;
const MAX_LINGERING = 256;
const lingering = new Set();

export function closeLingering() {
  for (const socket of lingering) socket.destroy();
  lingering.clear();
}

export class Connection {
  busy = false;
  intendedAt = 0; // milliseconds of performance.now(), like the next two
  sentAt = 0;
  connectMs = 0;
  failures = 0; // in a row

  #stream;
  #onFree;
  #socket = null;
  #spare = null; // the next socket, not connected
  #opened = 0;
  #reused = false;
  #parsing = false;
  #chunks = 0;
  #parser;
  #check;

  // onFree(connection, now, sameInstant) is called when the request is finished and another may be sent.
  constructor(stream, index, onFree) {
    this.#stream = stream;
    this.index = index;
    this.#onFree = onFree;
    this.#check = stream.bodyCheck();
    this.#parser = new ResponseParser((buffer, from, to) => this.#check.piece(buffer, from, to));
  }

  // Sends the stream's request, on a new socket if there is none. intendedAt: when it should have been sent.
  send(now, intendedAt) {
    const stream = this.#stream;
    this.busy = true;
    this.intendedAt = intendedAt;
    this.sentAt = now;
    this.connectMs = 0;
    this.#parsing = false;
    stream.sent++;
    if (now - intendedAt > LATE_AFTER_MS) stream.late++;
    this.#reused = this.#socket !== null;
    if (this.#reused) this.#socket.write(stream.request);
    else this.#connect();
  }

  // The request in flight has waited too long.
  timeOut(now) {
    this.#fail(now, TIMED_OUT, "TIMEOUT");
  }

  // The end of the measurement: what is in flight becomes a row with its age.
  abort(now) {
    if (this.busy) {
      this.busy = false;
      this.#stream.inFlightAtEnd++;
      this.#stream.record(now, this, IN_FLIGHT);
    }
    this.#drop();
  }

  #connect() {
    const { host, port } = this.#stream;
    if (this.#opened++ > 0) this.#stream.reconnects++;
    const socket = this.#spare ?? this.#newSocket();
    this.#spare = null;
    this.#socket = socket;
    socket.connect({ host, port });
  }

  // Node needs some 60 us for the object alone. Where each answer ends its connection, the next socket is therefore made while
  // the server works, so that our own effort does not count as its latency.
  #prepare = () => {
    if (this.#socket !== null && !this.#stream.stopped) this.#spare ??= this.#newSocket();
  };

  #newSocket() {
    const socket = new Socket({
      noDelay: true,
      onread: {
        buffer: readBuffer,
        callback: (length) => {
          if (socket === this.#socket) this.#onData(length);
          return true;
        },
      },
    });
    socket.on("connect", () => {
      if (socket !== this.#socket) return;
      this.connectMs = performance.now() - this.sentAt;
      socket.write(this.#stream.request);
      if (this.#stream.closesOften) setImmediate(this.#prepare);
    });
    socket.on("end", () => this.#onEnd(socket));
    socket.on("error", (error) => this.#onError(socket, error));
    socket.on("close", () => {
      lingering.delete(socket);
      this.#onEnd(socket);
    });
    return socket;
  }

  #onData(length) {
    const now = performance.now();
    const stream = this.#stream;
    stream.bytesIn += length;
    if (!this.busy) {
      this.#drop(); // an answer to nothing: the next request gets a clean connection
      return;
    }
    const known = stream.known;
    if (length === known.length && !this.#parsing && known.equals(readBuffer, readWords)) {
      if (known.bodyFrom > 0) stream.expectedBody.compare(readBuffer, known.bodyFrom, length);
      this.#finish(now, known.status, known.keepAlive, true);
      return;
    }
    this.#parse(now, length);
  }

  #parse(now, length) {
    const parser = this.#parser;
    if (!this.#parsing) {
      this.#parsing = true;
      this.#chunks = 0;
      parser.begin(this.#stream.withoutBody);
      this.#check.begin();
    }
    this.#chunks++;
    try {
      const taken = parser.push(readBuffer, 0, length);
      if (taken < length) throw new MalformedResponse("EXTRA_DATA");
    } catch (error) {
      if (!(error instanceof MalformedResponse)) throw error;
      this.#fail(now, MALFORMED, error.code);
      return;
    }
    if (parser.done) this.#complete(now, length);
  }

  #complete(now, length) {
    const stream = this.#stream;
    const parser = this.#parser;
    const { status } = parser;
    const { expectedStatus, expectedBody } = stream;
    const { differing } = expectedBody;
    const judged =
      expectedStatus === null ? status >= 200 && status < 300 : status === expectedStatus;
    if (judged ? !this.#check.matches() : status >= 200 && status < 300) {
      const kind = judged ? "WRONG_BODY" : `WRONG_STATUS_${status}`;
      stream.failed(WRONG_BODY, kind);
      this.#release(now, WRONG_BODY, parser.keepAlive, false);
      return;
    }
    // A response that came in one chunk and ended in itself (length > 0), not with the connection. One in chunked encoding that
    // differs from the first is parsed each time, so that it is counted each time.
    const differs = expectedBody.differing > differing;
    if (this.#chunks === 1 && length > 0 && !(parser.chunked && differs)) {
      const learning = judged && expectedBody.learns && !parser.chunked;
      const compareAll = parser.chunked || (judged && !learning && expectedBody.sha256 !== null);
      const head = length - parser.bodyBytes;
      const compared = compareAll ? length : head;
      const bodyFrom = learning ? head : 0;
      stream.known.learn(readBuffer, length, compared, status, parser.keepAlive, bodyFrom);
    }
    this.#finish(now, status, parser.keepAlive, false);
  }

  #finish(now, status, keepAlive, sameInstant) {
    this.failures = 0;
    this.#stream.answered(status);
    this.#release(now, status, keepAlive, sameInstant);
  }

  // The request is over; the socket stays for the next one if both sides want that.
  #release(now, status, keepAlive, sameInstant) {
    this.busy = false;
    this.#stream.record(now, this, status);
    if (!keepAlive) this.#retire();
    else if (!this.#stream.keepAlive) this.#drop();
    this.#onFree(this, now, sameInstant);
  }

  #fail(now, status, kind) {
    this.busy = false;
    this.failures++;
    this.#check.abandon();
    this.#stream.failed(status, kind);
    this.#stream.record(now, this, status);
    this.#drop();
    if (status === REFUSED) this.#stream.onServerGone();
    else this.#onFree(this, now, false);
  }

  #onEnd(socket) {
    if (socket !== this.#socket) return;
    const now = performance.now();
    if (!this.busy) {
      this.#drop();
    } else if (!this.#parsing) {
      // Not one byte of an answer. On a used connection that is the race of RFC 9112 §9.5: the server closed an idle connection
      // while our request was on its way. A browser would retry; we report what happened.
      this.#fail(now, CLOSED_EARLY, this.#reused ? "CLOSED_REUSED" : "CLOSED_EARLY");
    } else if (this.#parser.close()) {
      this.#complete(now, 0);
    } else {
      this.#fail(now, CLOSED_EARLY, "CLOSED_EARLY");
    }
  }

  #onError(socket, error) {
    if (socket !== this.#socket) return;
    const now = performance.now();
    const kind = error.code ?? error.name;
    if (!this.busy) this.#drop();
    else if (kind === "ECONNREFUSED") this.#fail(now, REFUSED, kind);
    else if (kind === "ECONNRESET") this.#fail(now, RESET, kind);
    else if (kind === "EPIPE") this.#onEnd(socket);
    else this.#fail(now, SOCKET_ERROR, kind);
  }

  // Leave the socket to the server, which said that it will close it.
  #retire() {
    const socket = this.#socket;
    if (lingering.size >= MAX_LINGERING) {
      this.#drop();
      return;
    }
    this.#socket = null;
    lingering.add(socket);
    socket.setTimeout(LINGER_MS, () => socket.destroy());
  }

  #drop() {
    const socket = this.#socket;
    this.#socket = null;
    socket?.destroy();
  }
}
