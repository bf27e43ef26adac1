import { readFileSync } from "node:fs";
import http from "node:http";

const MANY = 1000; // listeners at once
const TOGETHER = 200; // of those that connect at the same time: fewer than wait to be accepted
const SPARE = 100; // descriptors that the drop and the check need for other things
const SLOW = 3; // of those that do not read
const NOTE = 8000; // characters of a long note
const BURST = 1500; // uploads with such notes: far more than the kernel keeps for a connection
const SOON = 4000; // ms within which what should come at once has come, on any day
const NEVER = 300;
const MOST = 100_000; // characters of an event

/** One who listens: `events` are what has come, each with id, event, data and its text. */
class Listener {
  events = [];
  text = "";
  constructor(server, headers = {}) {
    this.begun = new Promise((begin) => {
      this.request = http.get({
        host: "127.0.0.1",
        port: server.port,
        path: "/events",
        headers,
        agent: false,
      });
      this.request.on("response", (response) => {
        this.response = response;
        response.setEncoding("utf8");
        response.on("data", (chunk) => this.#read(chunk));
        response.on("error", () => {});
        response.on("close", () => {
          this.isCut = !response.complete;
          this.isOver = true;
        });
        begin(true);
      });
      this.request.on("error", () => begin(false));
    });
  }
  #read(chunk) {
    if (this.text.length > MOST) return; // no event ends
    this.text += chunk;
    const texts = this.text.split("\n\n");
    this.text = texts.pop();
    for (const text of texts) {
      const fields = Object.fromEntries(text.split("\n").map((line) => line.split(/: (.*)/s)));
      this.events.push({ ...fields, text });
    }
  }
  leave() {
    this.request.destroy();
  }
}

/** Listeners whose answers have begun, at once. */
async function listening(t, server, count, headers) {
  const all = Array.from({ length: count }, () => new Listener(server, headers));
  const begun = await Promise.race([Promise.all(all.map((each) => each.begun)), t.sleep(SOON, [])]);
  if (!begun.length && (await t.until(() => server.end, 300))) throw server.early();
  t.ok(
    begun.length === count && begun.every(Boolean),
    "GET /events was requested and nothing was stored in the meantime, but the response did not begin",
    { wanted: "200 and its headers, at once" },
  );
  return all;
}

/** How many listeners there can be: each one takes a descriptor here, and one of the drop. */
function most(server) {
  const limits = ["self", server.pid].map((pid) => {
    const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/limits`, "utf8"));
    return Number(limit) - SPARE;
  });
  return Math.max(TOGETHER, Math.min(MANY, ...limits));
}

/** As many as there can be, some after others. */
async function crowd(t, server) {
  const all = [];
  for (let left = most(server); left > 0; left -= TOGETHER)
    all.push(...(await listening(t, server, Math.min(left, TOGETHER))));
  t.note("listeners at once", all.length);
  return all;
}

/** Stores a file: what the event has to say of it. */
async function stores(t, server, { note = "", size = 5 } = {}) {
  const { bytes, put, word } = await t.shared();
  const name = word(t);
  const status = await put(t, server, name, bytes(t, size), note ? { "x-note": note } : {});
  t.equal(status, 201, "the upload of a new file was not answered with 201");
  return { name, bytes: size, note };
}

const textOf = (id, file) => `id: ${id}\nevent: file\ndata: ${JSON.stringify(file)}`;
const gapOf = (missed) => `event: gap\ndata: ${JSON.stringify({ missed })}`;
const texts = ({ events }) => events.map(({ text }) => text);

/** Waits until a listener has so many events, and holds that these are the right ones. */
async function hears(t, listener, wanted, what) {
  const { certainly } = await t.shared();
  await t.until(() => listener.events.length >= wanted.length || listener.isOver, SOON);
  if (wanted.length === 0) await t.sleep(NEVER);
  if (listener.events.length === 0 && wanted.length > 0 && listener.text.includes("data: "))
    t.miss(
      "events arrived that do not end with an empty line, so a client processes none of them",
      {
        saw: listener.text.slice(0, 300),
      },
    );
  const saw = texts(listener);
  const at = wanted.findIndex((text, index) => text !== saw[index]);
  const extra = saw.length > wanted.length;
  if (at < 0 && !extra) return;
  const index = at < 0 ? wanted.length : at;
  const miss = () =>
    t.miss(what, {
      saw: saw[index]?.slice(0, 200) ?? "no event",
      wanted: wanted[index]?.slice(0, 200) ?? "no event",
    });
  if (saw[index] === undefined) miss(); // it may only be late
  certainly(miss);
}

/** What a burst of long events does where some listeners do not read. */
const burst = (t) =>
  t.once("burst", async () => {
    const { MIB, put, started, word } = await t.shared();
    const server = await started(t);
    const name = word(t);
    await put(t, server, name, "x");
    const slow = await listening(t, server, SLOW + 1);
    for (const { response } of slow) response.pause();
    const [reader] = await listening(t, server, 1);
    await put(t, server, name, "xyz");
    await t.until(() => reader.events.length > 0, 1500);
    const first = { saw: texts(reader)[0], wanted: textOf(2, { name, bytes: 3, note: "" }) };
    const before = server.memory().now;
    const headers = { "x-note": t.token().padEnd(NOTE, "-") };
    let left = BURST;
    const agent = new http.Agent({ keepAlive: true, maxSockets: 8 });
    const one = async () => {
      while (left-- > 0) {
        const { status, error } = await t.get(server, `/files/${name}`, {
          method: "PUT",
          body: "xy",
          headers,
          agent,
        });
        t.equal(
          error ?? status,
          200,
          "an upload was not answered as before while some listeners did not read",
        );
      }
    };
    try {
      await Promise.all(Array.from({ length: 8 }, one));
    } finally {
      agent.destroy();
    }
    const grown = Math.round((server.memory().now - before) / MIB);
    t.note(`growth, ${BURST} events of ${NOTE} characters (MiB)`, grown);
    return { server, reader, silent: slow.pop(), slow, first };
  });

export default {
  async told(t) {
    const { ask, bytes, has, put, started, Upload, word } = await t.shared();
    const server = await started(t);
    await stores(t, server);
    const [first] = await listening(t, server, 1);
    const { statusCode, headers } = first.response;
    t.equal(statusCode, 200, "GET /events was not answered with 200");
    const type = String(headers["content-type"] ?? "none");
    t.ok(
      type.startsWith("text/event-stream"),
      "the response to GET /events has the wrong content-type",
      {
        saw: type,
        wanted: "text/event-stream",
      },
    );
    await hears(
      t,
      first,
      [],
      "a new listener got an event for a file that had been stored before the listener connected",
    );
    const file = await stores(t, server, { note: `for "${t.token()}"`, size: 77 });
    await hears(
      t,
      first,
      [textOf(2, file)],
      "a second file was stored, the first one since a listener connected, but its event does not have the number 2 and the name, bytes and note, in four lines",
    );
    // What fails is no event.
    await put(t, server, word(t), bytes(t, t.parameters.limit + 1));
    const upload = new Upload(server, word(t), { "content-length": 500_000 });
    await upload.pour(bytes(t, 100_000));
    await upload.leave();
    await t.sleep(NEVER / 2);
    const next = await stores(t, server);
    await hears(
      t,
      first,
      [textOf(2, file), textOf(3, next)],
      "one upload failed because of its size, and another because its client left. Then a file was stored, but its event did not follow as number 3",
    );
    const others = await crowd(t, server);
    const files = (
      await Promise.all(
        Array.from({ length: 4 }, async () => {
          const some = [];
          for (let time = 0; time < 5; time++) some.push(await stores(t, server));
          return some;
        }),
      )
    ).flat();
    await t.until(() => first.events.length >= 22, SOON);
    const wanted = texts(first).slice(2);
    const names = first.events.slice(2).map(({ data }) => JSON.parse(data ?? "{}").name);
    t.equal(
      [...names].sort(),
      files.map(({ name }) => name).sort(),
      "twenty files were stored, four at a time, but a listener did not get exactly one event for each of them",
    );
    t.equal(
      first.events.slice(2).map(({ id }) => id),
      files.map((_, at) => String(at + 4)),
      "twenty files were stored, four at a time, but the numbers of the events are not in order",
    );
    for (const other of others)
      await hears(
        t,
        other,
        wanted,
        `${others.length} listeners connected before these twenty files were stored, but one of them got different events from the first listener, or different numbers`,
      );
    for (const other of others) other.leave();
    const head = await ask(t, server, "/events", { method: "HEAD" });
    has(t, head, 200);
    t.equal(head.body.length, 0, "the response to HEAD /events should have no body");
    has(
      t,
      await ask(t, server, "/events", { method: "POST" }),
      405,
      ", although events do not support POST",
    );
    const end = await stores(t, server);
    await hears(
      t,
      first,
      [...texts(first).slice(0, 22), textOf(24, end)],
      `${others.length} listeners had left, and a listener that stayed got no event for the next file`,
    );
  },

  async since(t) {
    const { kept } = t.parameters;
    const { started } = await t.shared();
    const server = await started(t);
    const files = [];
    const hearing = async (id, wanted, what) => {
      const [listener] = await listening(t, server, 1, { "last-event-id": String(id) });
      await hears(
        t,
        listener,
        wanted,
        `a listener that sent last-event-id: ${id} after ${files.length} events got the wrong events. The drop keeps ${kept} events. ${what}`,
      );
      return listener;
    };
    const behind = (id) => files.map((file, at) => textOf(at + 1, file)).slice(id);
    for (let at = 0; at < 5; at++) files.push(await stores(t, server));
    await hearing(3, behind(3), "The two events after number 3 should come first");
    await hearing(0, behind(0), "All events so far should come");
    const lastOne = await hearing(5, [], "There was no new event, but an event arrived");
    while (files.length < kept + 7) files.push(await stores(t, server));
    await hears(
      t,
      lastOne,
      behind(5),
      "a listener that had sent last-event-id did not get an event for each of the files that followed",
    );
    await hearing(7, behind(7), "All events after number 7 are kept, and should come");
    for (const id of [6, 2, 0])
      await hearing(
        id,
        [gapOf(7 - id), ...behind(7)],
        `A gap of ${7 - id} should come first, because these events are no longer kept, and then the ${kept} events that are`,
      );
    for (const id of ["x", "-1", "", files.length + 1])
      await hearing(
        id,
        [],
        "That is not the number of an event, and there are no new events, so none should come",
      );
  },

  async slow(t) {
    const { certainly } = await t.shared();
    const { reader, slow, first } = await burst(t);
    t.ok(
      first.saw !== undefined,
      "a file was stored, but its event did not arrive, or does not end with an empty line",
      { saw: reader.text.slice(0, 200), wanted: first.wanted },
    );
    certainly(() =>
      t.equal(
        first.saw,
        first.wanted,
        "a file was stored for the second time, but its event does not have the number 2 for a listener that had connected before",
      ),
    );
    const last = String(BURST + 2);
    const isTold = (listener) =>
      t.until(() => listener.events.at(-1)?.id === last || listener.isOver, SOON);
    t.ok(
      await isTold(reader),
      `a listener read all the time, but did not get the last event while another listener did not read`,
      { saw: reader.events.at(-1)?.id ?? "no event", wanted: last },
    );
    for (const listener of slow) {
      listener.response.resume();
      await isTold(listener);
      certainly(() =>
        t.ok(
          !listener.isOver,
          "a listener that did not read for a while was cut off. The drop should continue to send events when the listener reads again",
        ),
      );
      let next = 2;
      let missed = 0;
      for (const { event, id, data } of listener.events) {
        if (event === "gap") {
          const count = JSON.parse(data).missed;
          missed += count;
          next += count;
          continue;
        }
        certainly(() =>
          t.ok(
            Number(id) === next,
            "a listener that had not read for a while got an event whose number does not follow the previous one, and no gap, or the wrong gap, was reported",
            { saw: id, wanted: next },
          ),
        );
        next++;
      }
      t.ok(
        listener.events.at(-1)?.id === last,
        "a listener that had not read for a while read again, but did not get the last event",
        { saw: listener.events.at(-1)?.id ?? "no event", wanted: last },
      );
      certainly(() =>
        t.ok(
          missed > 0,
          `a listener did not read while ${BURST} events of ${NOTE} characters were sent, but missed none of them, so the drop had kept all of them`,
          { wanted: "a gap, because no more is written than the connection takes" },
        ),
      );
    }
  },

  async ends(t) {
    const { leaves, settled } = await t.shared();
    const { server, reader } = await burst(t);
    await settled(t, server);
    await leaves(t, server).catch((error) => {
      error.message = `there were listeners, one of which did not read, and ${error.message}`;
      throw error;
    });
    await t.until(() => reader.isOver, SOON);
    t.ok(reader.isOver && !reader.isCut, "a listener's response was cut off when the drop ended", {
      wanted: "the end of the response",
    });
  },

  async still(t) {
    const { sixSteps } = await t.shared();
    await sixSteps(t);
  },
};
