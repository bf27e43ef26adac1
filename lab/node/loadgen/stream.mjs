// What the connections of one stream of requests share: the request, the expectation, the rows and the account.
import { BodyCheck, ExpectedBody } from "./body-check.mjs";
import { InFlight } from "./in-flight.mjs";
import { KnownResponse } from "./known-response.mjs";
import { NEVER_SENT, NO_CONNECTION, Rows, TIMED_OUT } from "./rows.mjs";

// Sends more than this after their intended time are counted as late.
export const LATE_AFTER_MS = 1;

export class Stream {
  rows = new Rows();
  inFlight = new InFlight();
  known = new KnownResponse();
  bytesIn = 0;
  stopped = false;
  startedAt = 0;

  sent = 0;
  ok = 0;
  timeouts = 0;
  inFlightAtEnd = 0;
  reconnects = 0;
  late = 0;
  dropped = 0;
  #non2xx = new Map();
  #errors = new Map();

  // definition: one entry of the specification, as checked by spec.mjs.
  constructor(definition) {
    this.definition = definition;
    this.name = definition.name;
    this.host = definition.host;
    this.port = definition.port;
    this.request = definition.request;
    this.withoutBody = definition.method === "HEAD";
    this.keepAlive = definition.keepAlive;
    this.timeoutMs = definition.timeoutS * 1000;
    this.expectedStatus = definition.expect?.status ?? null;
    const body = this.withoutBody ? null : definition.expect;
    this.expectedBody = new ExpectedBody(
      body?.bytes ?? null,
      body?.sha256 ?? null,
      !this.withoutBody,
    );
  }

  // startedAt and the window in milliseconds of performance.now().
  begin(startedAt, from, to) {
    this.startedAt = startedAt;
    this.inFlight.begin(from, to);
  }

  // Whether about every response ends its connection.
  get closesOften() {
    return !this.keepAlive || 2 * this.reconnects > this.sent;
  }

  bodyCheck() {
    return new BodyCheck(this.expectedBody);
  }

  // One finished request of a connection; status is that of HTTP or a code of rows.mjs.
  record(now, connection, status) {
    const { intendedAt, sentAt, connectMs, index } = connection;
    this.inFlight.leave(now);
    this.rows.add(
      (now - this.startedAt) * 1000,
      (now - intendedAt) * 1000,
      status,
      connectMs * 1000,
      (sentAt - intendedAt) * 1000,
      index,
    );
  }

  answered(status) {
    if (status >= 200 && status < 300) this.ok++;
    else this.#non2xx.set(status, (this.#non2xx.get(status) ?? 0) + 1);
  }

  failed(status, kind) {
    if (status === TIMED_OUT) this.timeouts++;
    else this.#errors.set(kind, (this.#errors.get(kind) ?? 0) + 1);
  }

  // An open-loop request that was due at intendedAt and found no free connection before the end.
  neverSent(now, intendedAt) {
    const age = (now - intendedAt) * 1000;
    this.dropped++;
    this.rows.add((now - this.startedAt) * 1000, age, NEVER_SENT, 0, age, NO_CONNECTION);
  }

  // What the bodies of the accepted answers were compared with: the first one's length and hash where nothing was expected.
  bodies() {
    const { bytes, sha256, learns, differing, byLength } = this.expectedBody;
    return {
      first: learns && sha256 !== null ? { bytes, sha256 } : null,
      differing,
      by_length: byLength,
    };
  }

  // The account; sent = ok + non2xx + errors + timeouts + in_flight_at_end, and rows = sent + dropped.
  counts() {
    return {
      sent: this.sent,
      ok: this.ok,
      non2xx: Object.fromEntries(this.#non2xx),
      errors: Object.fromEntries(this.#errors),
      timeouts: this.timeouts,
      in_flight_at_end: this.inFlightAtEnd,
      reconnects: this.reconnects,
      late: this.late,
      dropped: this.dropped,
    };
  }
}
