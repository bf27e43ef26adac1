import http from "node:http";
import net from "node:net";

/** A server of its own and its upstream: `ways` says how a name is answered, by default with its value; `hold-…` waits. */
async function fresh(t) {
  const ways = new Map();
  const asked = [];
  const held = [];
  const behind = http.createServer((request, response) => {
    const name = request.url.slice(1);
    asked.push(name);
    response.on("error", () => {});
    if (name.startsWith("hold-")) return held.push(() => response.end('{"value": 1}'));
    const way = ways.get(name);
    if (way === "cut") return response.destroy();
    response.end(way ?? '{"value": 1}');
  });
  behind.unref();
  await new Promise((resolve) => behind.listen(0, "127.0.0.1", resolve));
  const server = await t.server({ env: { UPSTREAM: `http://127.0.0.1:${behind.address().port}` } });
  const post = (body, seconds = 4) =>
    t.get(server, "/total", {
      method: "POST",
      body: typeof body === "string" ? body : JSON.stringify(body),
      seconds,
    });
  return { server, ways, asked, held, post };
}
/** One for all criteria, or another one if that has died of what was tried. */
let running;
async function started(t) {
  if (!running || running.server.end) running = await fresh(t);
  return running;
}

const told = ({ error, status }) => error ?? status;

/** Something goes wrong while another client's request is under way: did that one come whole, and does the process live? */
async function beside(t, run, what, goesWrong) {
  const { server, held, post } = run;
  const name = `hold-${t.token()}`;
  const other = post([name], 12);
  await t.until(() => held.length > 0 || server.end, 3000);
  const seen = await goesWrong();
  await t.sleep(20);
  for (const go of held.splice(0)) go();
  const { body, error } = await other;
  if (error && (await t.until(() => server.end, 500)))
    t.miss(`${what}, and the process ended, so another client's response was lost with it`, {
      saw: server.stderr.slice(-600),
    });
  t.equal(
    error ?? String(body),
    `${name} 1\ntotal 1\n`,
    `${what}, and another client's response, which was under way, did not arrive in full`,
  );
  return seen;
}

export default {
  async right(t) {
    const { ways, post } = await started(t);
    const names = Array.from({ length: 4 }, () => t.token());
    const values = names.map(() => t.random.integer(-50, 100));
    for (const [i, name] of names.entries()) ways.set(name, JSON.stringify({ value: values[i] }));
    const { status, body, error } = await post(names);
    const wanted = names.map((name, i) => `${name} ${values[i]}\n`).join("");
    const sum = values.reduce((a, b) => a + b, 0);
    t.equal(
      error ?? `${status} ${body}`,
      `200 ${wanted}total ${sum}\n`,
      "the request was valid, but the response is wrong",
    );
    const none = await post([]);
    t.equal(none.error ?? String(none.body), "total 0\n", "the total of an empty list should be 0");
  },

  async bad(t) {
    for (const [what, body] of [
      ["a body was not JSON", '["a", '],
      ["a body was empty", ""],
      ["a body was an object instead of a list", '{"a": 1}'],
      ["a body was `null` instead of a list", "null"],
      ["a body was a string instead of a list", '"ab"'],
      ["a body was a list with a number in it", '["a", 7]'],
    ]) {
      const run = await started(t);
      const before = run.asked.length;
      const answer = await beside(t, run, what, () => run.post(body));
      t.equal(told(answer), 400, (saw) =>
        saw === "timeout"
          ? `${what}, but the client got no response, and is still waiting`
          : `${what}, but the response was not a 400`,
      );
      const asked = run.asked.slice(before).filter((name) => !name.startsWith("hold-"));
      t.equal(asked, [], `${what}, but the upstream was asked before the body was checked`);
    }
  },

  async fails(t) {
    for (const [what, way] of [
      ["the upstream broke the connection before the first line", "cut"],
      ["the upstream answered the first name with something that is not JSON", "oops"],
      ["the upstream answered the first name without a number", '{"valeu": 7}'],
      ["the upstream answered the first name with `null`", "null"],
    ]) {
      const run = await started(t);
      const [first, second] = [t.token(), t.token()];
      run.ways.set(first, way);
      const answer = await beside(t, run, what, () => run.post([first, second]));
      t.equal(told(answer), 502, (saw) =>
        saw === "timeout"
          ? `${what}, but the client got no response, and is still waiting`
          : `${what}, but the response was not a 502`,
      );
    }
  },

  async later(t) {
    for (const way of ["cut", "oops"]) {
      const run = await started(t);
      const [first, second] = [t.token(), t.token()];
      run.ways.set(second, way);
      const what = "the second name failed after the first line had been sent";
      const answer = await beside(t, run, what, () => run.post([first, second]));
      t.ok(
        answer.error !== "timeout",
        `${what}, but the response was neither completed nor cut off`,
      );
      t.ok(answer.error, `${what}, but the response ended as if it were whole`, {
        saw: String(answer.body),
        wanted: "a connection that is cut off",
      });
    }
  },

  async gone(t) {
    const run = await started(t);
    const head = "POST /total HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\n";
    const leaves = (text) =>
      new Promise((resolve) => {
        const socket = net.connect(run.server.port, "127.0.0.1", () => {
          socket.write(text, () => setTimeout(() => socket.destroy(), 30));
        });
        socket.on("error", () => {}).on("close", resolve);
      });
    await beside(t, run, "a client left in the middle of its body", () => leaves(`${head}["a", `));
    const body = JSON.stringify([t.token(), `hold-${t.token()}`]);
    const whole = head.replace("100", String(body.length)) + body;
    await beside(t, run, "a client left in the middle of its response", () => leaves(whole));
    const last = await run.post(["z"]);
    t.equal(
      last.error ?? String(last.body),
      "z 1\ntotal 1\n",
      "after clients had left, a request was not answered",
    );
  },
};
