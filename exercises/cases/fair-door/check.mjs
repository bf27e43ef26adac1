import { createHash } from "node:crypto";

const CLIENTS = 60;
const EACH = 6;
const ROUNDS = 100;
const PATIENCE = 2.5 * CLIENTS; // answers
const MOST = 0.2 * CLIENTS;

function work(path) {
  let result = path;
  for (let i = 0; i < ROUNDS; i++) result = createHash("sha256").update(result).digest("hex");
  return result;
}

/** All come at the same time: what was answered, and how many answers others had got before the first answer of each. */
const crowd = (t) =>
  t.once("crowd", async () => {
    const student = await t.module({ env: { PORT: "0", ROUNDS: String(ROUNDS) } });
    const port = () => student.listens();
    if (!(await t.until(port, 4000)))
      t.miss(
        'your server did not listen: it should call listen(process.env.PORT, "127.0.0.1"), as the starter does',
        student.told(),
      );
    const paths = Array.from({ length: CLIENTS }, () =>
      Array.from({ length: EACH }, () => `/${t.token()}`),
    );
    const rows = await student.scene("crowd", { port: port(), paths }, { seconds: 15 });
    await student.stop();
    const waits = rows.filter(({ first }) => first).sort((a, b) => a.number - b.number);
    return { rows, waits, lost: waits.filter(({ before }) => before > PATIENCE) };
  });
const said = (row) => row.error ?? `${row.status}, ${row.body.slice(0, 80)}`;

export default {
  async right(t) {
    const { rows } = await crowd(t);
    for (const row of rows) {
      t.ok(!row.error, "a request was not answered", { saw: said(row), wanted: "200" });
      t.ok(
        row.status === 200,
        `a request was answered with ${row.status}. A client that is refused also counts as a client that gave up`,
        { saw: said(row), wanted: "200" },
      );
    }
    for (const row of rows) {
      const body = row.body.trim();
      if (body === work(row.path)) continue;
      const others = rows.some(({ path }) => path !== row.path && work(path) === body);
      t.miss(
        others
          ? "a client was answered with the result for another client's path"
          : "the response is not the result of all rounds for the requested path",
        { saw: said(row), wanted: work(row.path) },
      );
    }
  },

  async fair(t) {
    const { waits, lost } = await crowd(t);
    t.plot(
      "Responses to other clients before a client's first response",
      waits.map(({ number, before }) => [number + 1, before]),
      { x: "client", y: "responses" },
    );
    t.note("gave up", `${lost.length} of ${CLIENTS}`);
    t.note(
      "longest wait at the door",
      `${Math.max(...waits.map(({ before }) => before))} responses`,
    );
    t.ok(
      lost.length < MOST,
      `${lost.length} of ${CLIENTS} clients gave up because they waited at the door while accepted clients got one response after another`,
      { saw: `${lost.length} gave up`, wanted: `fewer than ${MOST}` },
    );
  },
};
