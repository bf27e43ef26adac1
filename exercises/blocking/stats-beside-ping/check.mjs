import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import net from "node:net";

const RECORDS = 100_000;
const FEW = 3000;
const TURNS = 10; // pings beside 100,000 records: pieces of 5 ms are several times as many
const HALF = 0.5;
const SHORT_MS = 15; // a piece that is no long one, whatever its share

function stats(seed, count) {
  let sum = 0;
  let max = 0;
  for (let i = 0; i < count; i++) {
    const one = createHash("sha256").update(`${seed}:${i}`).digest().readUInt32BE(0);
    sum += one;
    max = Math.max(max, one);
  }
  return { count, sum, max };
}

const few = (t) => t.once("few", () => t.server({ env: { RECORDS: String(FEW) } }));

const said = ({ body, error, status }) => {
  try {
    return JSON.parse(body);
  } catch {
    return error ?? `${status}, ${body}`;
  }
};

// A turn of the loop lets one new connection in. So of pings that each come on a connection of their own, not more are
// answered beside /stats than the loop has turned: this counts turns, and no clock is asked.
const AT_THE_DOOR = 20;
// So many pings come one right after another, far more than turns are needed; the later ones come with a pause, so that a server
// that never has its statistics does not keep two processors busy until it is given up.
const WITHOUT_PAUSE = 2000;
const PAUSE_MS = 25;
const ASKING = (path) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`;

/** Milliseconds that the main thread of a process has had a processor. */
const worked = (pid) =>
  Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ", 1)[0]) / 1e6;
/** What all of a server has worked, in whichever process or thread, even if that has ended. */
const everywhere = (server) => {
  const { user, system } = server.cpu();
  return user + system;
};

/** Asks for statistics, and keeps pings at the door: how much work was done when each of them was answered. */
async function beside(t, server) {
  const { pid } = server;
  const work = () => worked(pid);
  const asking = net.connect(server.port, "127.0.0.1").on("error", () => {});
  await once(asking, "connect");
  const begun = work();
  const before = everywhere(server);
  const pongs = [];
  let over = false;
  asking.write(ASKING(`/stats?seed=${t.token()}`));
  asking.once("data", () => {
    over = true;
  });
  const ping = () => {
    if (over || asking.destroyed) return;
    const socket = net.connect(server.port, "127.0.0.1").on("error", () => {});
    socket.write(ASKING("/ping"));
    socket.once("data", () => {
      if (over) return;
      pongs.push(work() - begun);
      if (pongs.length < WITHOUT_PAUSE) ping();
      else setTimeout(ping, PAUSE_MS);
    });
    asking.once("close", () => socket.destroy());
  };
  for (let i = 0; i < AT_THE_DOOR; i++) ping();
  const ended = await t.until(() => over, 20_000);
  const all = work() - begun;
  const other = Math.max(0, everywhere(server) - before - all);
  asking.destroy();
  const at = [0, ...pongs, all];
  return {
    ended,
    pongs,
    all,
    other,
    piece: Math.max(...at.slice(1).map((each, i) => each - at[i])) / all,
  };
}

export default {
  async right(t) {
    const server = await few(t);
    const seeds = [t.token(), t.token()];
    for (const seed of seeds) {
      const answer = said(await t.get(server, `/stats?seed=${seed}`));
      const wanted = stats(seed, FEW);
      if (seed === seeds[1] && answer?.sum === stats(seeds[0], FEW).sum)
        t.miss(
          "statistics were requested for two seeds, but the response for the second seed has the statistics for the first",
          {
            saw: answer,
            wanted,
          },
        );
      t.equal(answer, wanted, "the statistics for a seed are wrong");
    }
  },

  async ping(t) {
    const server = await t.server({ env: { RECORDS: String(RECORDS) } });
    let best;
    // A driver that gets no processor for a while notes the work of many turns as one piece: the best of three counts.
    for (let attempt = 0; attempt < 3; attempt++) {
      const one = await beside(t, server);
      t.ok(one.ended, "the statistics of 100,000 records did not arrive within 20 s");
      if (!best || one.piece < best.piece) best = one;
      if (best.piece < HALF || best.piece * best.all < SHORT_MS || one.pongs.length < TURNS) break;
    }
    server.alone();
    await server.stop();
    const { pongs, piece, all, other } = best;
    t.ok(
      other < all * HALF || other < 2 * SHORT_MS,
      "another thread computed the statistics while the main thread answered pings, but the task is to do both on a single thread",
      {
        saw: `${Math.round(other)} ms of work in another thread, ${Math.round(all)} ms in the main thread`,
      },
    );
    t.note("pings answered during /stats", pongs.length);
    t.plot(
      "Work done by the time each ping was answered",
      pongs.map((work, i) => [i + 1, work]),
      { x: "ping", y: "ms of processor time" },
    );
    if (pongs.length <= 1)
      t.miss(
        "while the statistics were computed, at most one ping was answered, and all others had to wait until the end",
        {
          saw: pongs.length,
          wanted: `at least ${TURNS}`,
        },
      );
    t.ok(
      pongs.length >= TURNS,
      `pings were waiting all the time, but only ${pongs.length} of them were answered while the statistics were computed, because each ping had to wait for a long piece of work`,
      { saw: pongs.length, wanted: `at least ${TURNS}` },
    );
    t.ok(
      piece < HALF || piece * all < SHORT_MS,
      `${pongs.length} pings were answered in the meantime, but one ping waited for ${Math.round(100 * piece)} % of the whole work, which was done in one piece`,
      {
        saw: `${Math.round(piece * all)} ms of ${Math.round(all)} ms`,
        wanted: "short pieces",
      },
    );
  },

  async several(t) {
    const server = await few(t);
    const one = t.token();
    const seeds = [one, t.token(), one, t.token()];
    const answers = await Promise.all(
      seeds.map((seed) => t.get(server, `/stats?seed=${seed}`, { seconds: 10 })),
    );
    for (const [i, answer] of answers.entries())
      t.equal(
        said(answer),
        stats(seeds[i], FEW),
        "four clients requested statistics at the same time, but one of them got the wrong statistics",
      );
  },
};
