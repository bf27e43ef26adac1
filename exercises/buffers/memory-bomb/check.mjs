import { readFileSync } from "node:fs";
import net from "node:net";

const HEAD = 4;
const KIB = 1024;
const MIB = KIB * KIB;
const CLIENTS = 8;
const LONG = 4000; // ms in which a deadline of some hundred must have come

/** One connection to the server: what it was told, and whether it is still open. */
class Client {
  constructor(server) {
    this.text = "";
    this.open = true;
    this.socket = net.connect({ host: "127.0.0.1", port: server.port, noDelay: true });
    this.socket.setEncoding("utf8");
    this.socket.on("data", (text) => {
      this.text += text;
    });
    this.socket.on("error", () => {});
    for (const event of ["end", "close"])
      this.socket.on(event, () => {
        this.open = false;
      });
  }
  send(bytes) {
    if (this.open) this.socket.write(bytes);
  }
  /** Sends so many bytes, as fast as they are taken, unless the connection is closed. */
  async pour(size, piece = Buffer.alloc(64 * KIB, "x")) {
    for (let sent = 0; sent < size && this.open; sent += piece.length)
      if (!this.socket.write(piece))
        await new Promise((resolve) => {
          this.socket.once("drain", resolve).once("close", resolve);
        });
  }
  get lines() {
    return this.text.split("\n").slice(0, -1);
  }
}

const head = (length) => {
  const bytes = Buffer.alloc(HEAD);
  bytes.writeUInt32BE(length);
  return bytes;
};
const frame = (payload) => Buffer.concat([head(payload.length), payload]);
const mib = (bytes) => `${(bytes / MIB).toFixed(1)} MiB`;

function started(t, name, deadline = 60_000) {
  return t.once(name, async () => {
    const limit = t.random.integer(100, 200) * KIB;
    const server = await t.server({ env: { LIMIT: String(limit), DEADLINE_MS: String(deadline) } });
    return { server, limit };
  });
}

/** Holds that a frame is answered, on a connection that has had so many answers. */
async function answered(t, server, client, where) {
  const payload = Buffer.from(t.token());
  const before = client.lines.length;
  client.send(frame(payload));
  await t.until(() => client.lines.length > before || !client.open, 3000);
  if (server.end) throw server.early();
  t.ok(
    client.lines[before] === t.digest(payload),
    `${where}, a frame got no response or the wrong response`,
    {
      saw: client.open
        ? client.lines.slice(before)
        : `the connection was closed, after ${JSON.stringify(client.lines.at(-1) ?? "")}`,
    },
  );
}
/** Holds that a connection is told something and closed. */
async function closed(t, server, client, word, what) {
  const over = await t.until(() => !client.open, 3000);
  if (server.end) throw server.early();
  t.ok(over, `${what}, but the connection is still open`, {
    saw: client.lines,
    wanted: `${word}, and a closed connection`,
  });
  t.ok(
    client.lines.at(-1) === word,
    `${what}, but the connection was closed with the wrong response`,
    {
      saw: client.text,
      wanted: `${word}\n`,
    },
  );
}

export default {
  async frames(t) {
    const { server, limit } = await started(t, "patient");
    const payloads = [1, t.random.integer(2, 90), 0, limit, t.random.integer(2000, 70_000)].map(
      (size) => Buffer.alloc(size, t.token()),
    );
    const wanted = payloads.map((payload) => t.digest(payload));
    const bytes = Buffer.concat(payloads.map(frame));
    const ways = {
      "in one write": [bytes],
      "in small writes": Array.from({ length: 60 }, (_, at) => bytes.subarray(at, at + 1)).concat(
        bytes.subarray(60),
      ),
      "in two writes": [bytes.subarray(0, 3), bytes.subarray(3)],
    };
    for (const [way, chunks] of Object.entries(ways)) {
      const client = new Client(server);
      for (const chunk of chunks) {
        client.send(chunk);
        if (way !== "in one write") await new Promise((resolve) => setImmediate(resolve));
      }
      await t.until(() => client.lines.length >= wanted.length || !client.open, 4000);
      if (server.end) throw server.early();
      t.equal(
        client.lines,
        wanted,
        `${payloads.length} frames, the largest of exactly the limit, were sent ${way}, but the wrong responses arrived`,
      );
      client.socket.destroy();
    }
  },

  async refused(t) {
    const { server, limit } = await started(t, "patient");
    const other = new Client(server);
    await answered(t, server, other, "before a client announced too much");
    for (const length of [limit + 1, 40 * MIB, 2 ** 31 + t.random.integer(0, 99), 2 ** 32 - 1]) {
      const client = new Client(server);
      await answered(t, server, client, "on a new connection");
      client.send(head(length));
      const what = `a frame of ${length} bytes was announced with a limit of ${limit}`;
      const over = await t.until(() => !client.open, 1500);
      if (!over && length === limit + 1 && !server.end) {
        const taken = async (to, bytes) => {
          to.send(bytes);
          return t
            .until(() => to.lines.at(-1) === t.digest(bytes) || !to.open, 1500)
            .then(() => to.lines.at(-1) === t.digest(bytes));
        };
        const ascii = new Client(server);
        ascii.send(head(length));
        const short = await taken(client, Buffer.alloc(length + 2, "€").subarray(0, length));
        if (short && !(await taken(ascii, Buffer.alloc(length, "x"))))
          t.miss(
            `${what}, but the whole frame was accepted because its text has fewer characters, although the limit is in bytes`,
            { wanted: "too large, as soon as the length has arrived" },
          );
        t.ok(!short, `${what}, but the whole frame was accepted, so there is no limit`, {
          wanted: "too large, as soon as the length has arrived",
        });
      }
      await closed(t, server, client, "too large", what);
    }
    await answered(t, server, other, "after other clients were refused");
    const fresh = new Client(server);
    await answered(t, server, fresh, "on a new connection, after other clients were refused");
  },

  async memory(t) {
    const { server, limit } = await started(t, "bombed");
    const warmed = async (each) => {
      const client = new Client(each);
      for (let frames = 0; frames < 20; frames++)
        await answered(t, each, client, "before large frames were announced");
      return client;
    };
    const first = await warmed(server);
    const env = { LIMIT: String(limit), DEADLINE_MS: "60000" };
    const startsAlike = (options) => t.server({ ...options, env });
    const status = () =>
      server
        .family()
        .map((pid) => readFileSync(`/proc/${pid}/status`, "utf8").match(/^VmPeak:\s+(\d+)/m))
        .reduce((sum, peak) => sum + Number(peak?.[1] ?? 0) * KIB, 0);
    const before = { resident: await t.before(server, warmed, startsAlike), room: status() };
    const each = 512 * MIB;
    const sends = 8 * MIB;
    const clients = Array.from({ length: CLIENTS }, () => new Client(server));
    await Promise.all(
      clients.map(async (client) => {
        client.send(head(each));
        await client.pour(sends);
      }),
    );
    await answered(t, server, first, `after ${CLIENTS} clients had announced ${mib(each)} each`);
    server.alone();
    const grown = server.memory().peak - before.resident;
    const room = status() - before.room;
    for (const client of clients) client.socket.destroy();
    const what = `${CLIENTS} connections announced ${mib(each)} each and sent up to ${mib(sends)}`;
    t.note("growth after the announcements (MiB)", Number((grown / MIB).toFixed(1)));
    t.ok(grown < (CLIENTS * sends) / 3, `${what}, and the server grew by ${mib(grown)}`, {
      wanted: "almost nothing",
    });
    t.ok(
      room < each / 2,
      `${what}, and memory was allocated before the length was compared with the limit`,
      { saw: `${mib(room)} more address space`, wanted: "almost none" },
    );
  },

  async deadline(t) {
    const deadline = t.random.integer(250, 400);
    const { server } = await started(t, "strict", deadline);
    const silent = new Client(server);
    await answered(t, server, silent, "on a new connection");
    const began = t.now();
    const halves = [
      ["after half of its length", head(50).subarray(0, 2)],
      ["in the middle of its content", Buffer.concat([head(50), Buffer.from("x")])],
      [
        "after its length, in the same write as another frame",
        Buffer.concat([frame(Buffer.from("whole")), head(9)]),
      ],
    ].map(([where, bytes]) => {
      const client = new Client(server);
      client.send(bytes);
      return { where, client };
    });
    // A byte now and then, and beside it whole frames, as long as that lasts. Where this process itself had to wait for
    // a processor for long, the byte was late and its end tells nothing: once more.
    const steady = new Client(server);
    let whole = 0;
    let dripping;
    for (let attempt = 0, late = deadline; attempt < 4 && late > deadline / 2; attempt++) {
      dripping = new Client(server);
      dripping.send(head(100_000));
      late = 0;
      let last = t.now();
      await t.until(() => {
        late = Math.max(late, t.now() - last);
        last = t.now();
        dripping.send("x");
        if (steady.lines.length === whole) {
          steady.send(frame(Buffer.from("steady")));
          whole++;
        }
        return !dripping.open && halves.every(({ client }) => !client.open);
      }, LONG);
      if (dripping.open) break;
    }
    if (server.end) throw server.early();
    for (const { where, client } of halves) {
      t.ok(
        !client.open,
        `a frame stopped arriving ${where}, and ${LONG} ms later the server was still waiting for the rest of it (DEADLINE_MS is ${deadline})`,
      );
      t.ok(
        client.lines.at(-1) === "too slow",
        `a frame stopped arriving ${where}, and its connection was closed with the wrong response`,
        { saw: client.text, wanted: "too slow\n" },
      );
    }
    t.ok(
      !dripping.open,
      `after ${LONG} ms, the server was still waiting for the rest of a frame whose bytes arrived one by one (DEADLINE_MS is ${deadline})`,
    );
    const took = Math.round(t.now() - began);
    t.ok(
      took >= deadline - 5,
      `the server gave up on frames after ${took} ms, but DEADLINE_MS is ${deadline}`,
    );
    await answered(
      t,
      server,
      silent,
      "on a connection that was silent between two frames for longer than the deadline",
    );
    t.ok(
      steady.open,
      "a connection whose frames all arrived in time was closed, but the deadline is for each frame and not for the connection",
      { saw: steady.lines.at(-1) },
    );
  },
};
