import http from "node:http";
import net from "node:net";

const CLIENTS = 20;
const MOST = 5; // answers after the signal without a word that they are the last
const GRACE = 700;
const LONG = 6000; // by when twice GRACE has come on any machine

/** A client with one connection of its own, which it keeps as long as it may. */
class Client {
  constructor(server) {
    this.server = server;
    this.agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    this.sockets = new Set();
    this.answers = [];
  }
  ask() {
    return new Promise((resolve) => {
      const done = (answer) => {
        this.answers.push(answer);
        resolve(answer);
      };
      const asking = http.get(
        { host: "127.0.0.1", port: this.server.port, path: "/", agent: this.agent, timeout: LONG },
        (response) => {
          let body = "";
          response.setEncoding("utf8").on("data", (text) => {
            body += text;
          });
          response.on("end", () =>
            done({
              status: response.statusCode,
              body,
              last: response.headers.connection === "close",
            }),
          );
          response.on("error", (error) => done({ error: error.code }));
        },
      );
      asking.on("socket", (socket) => this.sockets.add(socket));
      asking.on("finish", () => this.sent?.());
      asking.on("timeout", () =>
        asking.destroy(Object.assign(new Error("no answer"), { code: "no answer" })),
      );
      asking.on("error", (error) => done({ error: error.code }));
    });
  }
  /** Asks without a pause until it is told, or fails. */
  async goOn() {
    for (let asked = 0; asked < MOST; asked++) {
      const { last, error } = await this.ask();
      if (last || error) return;
    }
  }
}

// Twenty clients with a request under way, one that is silent, one that has sent half a request; then the signal.
const left = (t) =>
  t.once("left", async () => {
    const delay = t.random.integer(80, 120);
    const server = await t.server({ env: { DELAY_MS: String(delay), GRACE_MS: String(GRACE) } });
    const clients = Array.from({ length: CLIENTS }, () => new Client(server));
    const silent = new Client(server);
    const first = await Promise.all([...clients, silent].map((client) => client.ask()));
    const half = net.connect(server.port, "127.0.0.1").on("error", () => {});
    half.write("GET / HTTP/1.1\r\nhost: here\r\n");
    const sent = clients.map(
      (client) =>
        new Promise((resolve) => {
          client.sent = resolve;
        }),
    );
    const second = clients.map((client) => client.ask());
    await Promise.all(sent);
    await t.sleep(delay / 2); // so that most are under way; whether they are decides nothing
    server.signal("SIGTERM");
    const after = await Promise.all(
      clients.map(async (client, at) => {
        const answer = await second[at];
        const before = client.answers.length - 1;
        if (!answer.error && !answer.last) await client.goOn();
        return client.answers.slice(before);
      }),
    );
    const fresh = await new Client(server).ask();
    const ended = await t.until(() => server.end, LONG);
    for (const client of [...clients, silent]) client.agent.destroy();
    half.destroy();
    return { first, clients, after, fresh, ended, server };
  });

export default {
  async serves(t) {
    const { first, clients } = await left(t);
    for (const { error, status, body, last } of first) {
      t.equal(
        error ?? `${status} ${body}`,
        "200 done\n",
        "before the signal, a request did not get its usual response",
      );
      t.ok(
        !last,
        "before the signal, a response had connection: close, so each request would need a new connection",
      );
    }
    const most = Math.max(...clients.map(({ sockets }) => sockets.size));
    t.ok(
      most === 1,
      `a client needed ${most} connections for its requests, but it should keep its connection`,
    );
  },

  async lost(t) {
    const { after } = await left(t);
    const all = after.flat();
    // A connection that is refused has lost nothing: nothing was sent on it.
    const lost = all.filter(({ error }) => error && error !== "ECONNREFUSED");
    t.ok(
      lost.length === 0,
      `${CLIENTS} clients had a request under way at SIGTERM, and ${lost.length} requests were lost`,
      {
        saw: [...new Set(lost.map(({ error }) => error))].join(", "),
        wanted: "a response to each request",
      },
    );
    const other = all.find(
      ({ error, status, body }) => !error && `${status} ${body}` !== "200 done\n",
    );
    t.ok(
      !other,
      `after SIGTERM, a request on an open connection was answered with ${other?.status}, although it had arrived in time`,
      { saw: other, wanted: "200, done" },
    );
  },

  async told(t) {
    const { after, fresh } = await left(t);
    const never = after.filter((answers) => answers.length >= MOST && !answers.at(-1).last).length;
    t.ok(
      never === 0,
      `${never} of ${CLIENTS} clients that kept sending requests were never told that the server is shutting down`,
      {
        saw: `${MOST + 1} responses after SIGTERM, none of which says that it is the last one on its connection`,
        wanted: "connection: close in each response",
      },
    );
    const cut = after.filter((answers) => !answers.some(({ last }) => last)).length;
    t.ok(
      cut === 0,
      `${cut} of ${CLIENTS} clients had their connection closed, although no response had told them that it was the last one`,
    );
    t.ok(fresh.error, "a new connection was accepted and answered, long after SIGTERM", {
      saw: `${fresh.status}`,
      wanted: "refused",
    });
  },

  async ends(t) {
    const { ended, server } = await left(t);
    t.ok(
      ended,
      `${LONG / 1000} s after SIGTERM, with GRACE_MS=${GRACE}, the server was still running, so it had to be killed. One client was silent, and another had sent half a request`,
      {
        saw: "still running",
        wanted: "exit code 0",
      },
    );
    const { code, signal } = server.end;
    t.ok(
      code === 0,
      `the server ended ${signal ? `by ${signal}` : `with exit code ${code}`}, which looks like a failure`,
      { wanted: "exit code 0" },
    );
  },
};
