import { mkdirSync } from "node:fs";
import { join } from "node:path";

const CLIENTS = 8;
const LARGE_MIB = 128;
const GROWTH_MIB = 96; // of which a reader of chunks takes less, and one of the whole file more
const SHOWN = 300; // ms in which a file that should not be read is not begun

const lineOf = (t, name, content) => `${t.digest(content)}  ${name}\n`;
async function asksFor(t, server, names, options) {
  const { ask, PATIENT } = await t.shared();
  const path = `/sums?of=${names.join(",")}`;
  return ask(t, server, path, { seconds: 15, headers: PATIENT, ...options });
}

/** Starts the drop, with some files in its folder. */
async function started(t, sizes = []) {
  const { bytes, put, ROOMY, started: start, word } = await t.shared();
  const server = await start(t, ROOMY);
  const files = [];
  for (const size of [100, ...sizes]) {
    const [name, content] = [word(t), bytes(t, size)];
    t.equal(
      await put(t, server, name, content),
      201,
      "the upload of a new file was not answered with 201",
    );
    files.push({ name, content });
  }
  return { server, files };
}

/** Asks for a sum, and returns when the drop has that request: a later one, on another connection, has been answered. */
async function queued(t, server, names) {
  const answer = asksFor(t, server, names);
  answer.catch(() => {}); // where the server ends, that is said by another request
  await t.sleep(20);
  const { error } = await t.get(server, "/ping", { seconds: 3 });
  return { answer, isFree: !error };
}

const BLOCKED =
  "while a sum was waiting for a slow disk, `/ping`, which reads nothing, was not answered, so the loop itself was waiting for the disk";
const UNREAD =
  "the sum of a named pipe, which acts as a file on a slow disk, was requested, but the pipe was not read. Anything that can be read has a sum";

/** Clients ask for sums of slow files, one each; what is seen while these wait, and how they begin. */
const gated = (t) =>
  t.once("gated", async () => {
    const { ask, outcome, put, Slow, word } = await t.shared();
    const { sums } = t.parameters;
    const { server, files } = await started(t);
    const reading = new Slow(t, server, CLIENTS);
    const { files: slow } = reading;
    const requests = [];
    for (const { name } of slow) {
      requests.push(await queued(t, server, [name]));
      if (!requests.at(-1).isFree) {
        if (server.end) throw server.early();
        await server.stop();
        return { isBlocked: true };
      }
    }
    if (!(await reading.begin(t, 1))) t.miss(UNREAD);
    await reading.begin(t, sums);
    await t.sleep(SHOWN);
    const most = await reading.look();
    const newName = word(t);
    const options = { seconds: 3 };
    const others = await Promise.all([
      ask(t, server, `/files/${files[0].name}`, options),
      ask(t, server, `/files/${files[0].name}`, { ...options, method: "HEAD" }),
      ask(t, server, "/files", options),
      ask(t, server, "/ping", options),
      put(t, server, newName, "x").then((status) => ({ status, text: `PUT /files/${newName}` })),
    ]);
    // One file stays under way all the time, and the next begins all the same.
    let isStalled = false;
    while (!isStalled && reading.began.length < slow.length) {
      const before = await reading.look();
      await reading.end(reading.active.at(-1));
      isStalled = !(await reading.begin(t, before + 1));
    }
    await reading.endAll(t);
    const answers = await Promise.all(requests.map(({ answer }) => answer));
    const order = reading.began.map((file) => slow.indexOf(file));
    const wrong = answers.findIndex(
      (answer, at) =>
        answer.status !== 200 || String(answer.body) !== lineOf(t, slow[at].name, slow[at].text),
    );
    const failed = wrong >= 0 && outcome(answers[wrong]);
    return { server, files, most, others, isStalled, order, failed };
  });

const holdsLoop = (t, crowd) => t.ok(!crowd.isBlocked, BLOCKED);
const fewEnough = (t, { most }) =>
  t.ok(
    most <= t.parameters.sums,
    `${CLIENTS} clients each requested the sum of a file on a slow disk, and more than ${t.parameters.sums} of these files were read at once`,
    { saw: most, wanted: t.parameters.sums },
  );
const STALLED =
  "the drop was done with one of the files that it read for sums, but no other file was begun, although requests were waiting";

export default {
  async sums(t) {
    const { ask, has, word } = await t.shared();
    const { server, files } = await started(t, [0, t.random.integer(70_000, 90_000), 200_000]);
    const { page } = t.parameters;
    const all = t.random.shuffle(files);
    for (const some of [...files.map((file) => [file]), all, [...all, all[0]]]) {
      const answer = await asksFor(
        t,
        server,
        some.map(({ name }) => name),
      );
      has(t, answer, 200);
      const type = String(answer.headers["content-type"] ?? "none");
      t.ok(
        type.startsWith("text/plain"),
        `${answer.text} was answered with the wrong content-type`,
        {
          saw: type,
          wanted: "text/plain",
        },
      );
      const lines = String(answer.body).split("\n");
      const wanted = some.map(({ name, content }) => lineOf(t, name, content)).join("");
      const form = /^[0-9a-f]{64} {2}[\w.-]+$/;
      t.ok(
        lines.at(-1) === "" && lines.slice(0, -1).every((line) => form.test(line)),
        `the response to ${answer.text} does not consist of lines with 64 digits, two spaces and a name`,
        { saw: String(answer.body).slice(0, 300), wanted: wanted.slice(0, 300) },
      );
      t.equal(
        lines.slice(0, -1).map((line) => line.slice(66)),
        some.map(({ name }) => name),
        `the response to ${answer.text} does not have one line for each name, in the order of the names`,
      );
      t.equal(
        String(answer.body),
        wanted,
        `the response to ${answer.text} has the wrong sum for a file`,
      );
    }
    const names = [files[0].name];
    const head = await asksFor(t, server, names, { method: "HEAD" });
    has(t, head, 200);
    t.equal(
      head.body.length,
      0,
      "the response to HEAD /sums had a body, but a response to HEAD has none",
    );
    for (const method of ["POST", "PUT", "DELETE"])
      has(
        t,
        await asksFor(t, server, names, { method }),
        405,
        ", although sums do not support this method",
      );
    // A sum that fails may lose its place, which is looked at elsewhere: no more than two fail here in one process.
    const { server: other } = await started(t);
    const folder = word(t);
    mkdirSync(join(other.work, "files", folder));
    has(t, await asksFor(t, other, [folder]), 404, ", although that name belongs to a folder");
    for (const [status, list, why] of [
      [400, [], ", although the list of names is empty"],
      [400, ["..%2Fx"], ", although that is not a valid file name"],
      [400, [names[0], ""], ", although one of the names is empty"],
      [400, [names[0], ".hidden"], ", although one of the names is not valid"],
      [400, Array(page + 1).fill(names[0]), `, although ${page + 1} names are too many`],
      [200, Array(page).fill(names[0]), `, although ${page} names are allowed`],
    ])
      has(t, await asksFor(t, server, list), status, why);
    has(t, await ask(t, server, "/sums"), 400, ", although the query names no files");
    has(t, await asksFor(t, server, [word(t)]), 404, ", although the file is missing");
    has(
      t,
      await asksFor(t, server, [names[0], word(t)]),
      404,
      ", although one of the files is missing",
    );
  },

  async share(t) {
    const { bytes, outcome, put, statusOf } = await t.shared();
    const { sums } = t.parameters;
    const crowd = await gated(t);
    holdsLoop(t, crowd);
    const [file, head, list, ping, stored] = crowd.others;
    t.ok(String(ping.body) === "pong\n", BLOCKED, { saw: outcome(ping) });
    for (const [answer, status] of [
      [file, 200],
      [head, 200],
      [list, 200],
      [stored, 201],
    ])
      t.ok(
        answer.status === status,
        `while ${CLIENTS} clients were waiting for sums of files on a slow disk, ${answer.text} was not answered. Either all threads of the pool were waiting for that disk, or the request was waiting in the queue for sums, which may read ${sums} files at once`,
        { saw: statusOf(answer), wanted: status },
      );
    t.ok(
      file.body.equals(crowd.files[0].content),
      `the response to ${file.text} has the wrong bytes`,
    );
    crowd.server.use();
    const status = await put(t, crowd.server, crowd.files[0].name, bytes(t, 50));
    t.equal(
      status,
      200,
      "after the sums had been computed, an upload was not answered with the same status as in earlier steps",
    );
  },

  async "at-once"(t) {
    const { sums } = t.parameters;
    const crowd = await gated(t);
    holdsLoop(t, crowd);
    const { most } = crowd;
    fewEnough(t, crowd);
    t.ok(
      most >= sums,
      `${CLIENTS} clients each requested the sum of a file on a slow disk, but only ${most} of these files ${most === 1 ? "was" : "were"} read at once, although ${sums} may be`,
      { saw: most, wanted: sums },
    );
    t.ok(!crowd.isStalled, STALLED, { wanted: "the next file begins as soon as one is done" });
    t.ok(
      crowd.failed === false,
      "a client whose sum had to wait for its turn did not get the right response",
      {
        saw: crowd.failed,
        wanted: "200 and the line for its file",
      },
    );
    const { server, files } = await started(t);
    const { word } = await t.shared();
    const missing = Array.from({ length: 2 * sums + 1 }, () => word(t));
    const left = await Promise.all(
      missing.map((name) => t.get(server, `/sums?of=${name}`, { seconds: 3 })),
    );
    const answer = await asksFor(t, server, [files[0].name], { seconds: 3 });
    t.ok(
      left.every(({ status }) => status === 404) && answer.status === 200,
      `after ${missing.length} requests for sums of missing files, a request for the sum of an existing file was not answered. A sum that fails must also make room for the next`,
      { saw: answer.error ?? answer.status, wanted: 200 },
    );
  },

  async turns(t) {
    const { Slow } = await t.shared();
    const { sums } = t.parameters;
    const crowd = await gated(t);
    holdsLoop(t, crowd);
    fewEnough(t, crowd);
    t.ok(!crowd.isStalled, STALLED);
    const inOrder = Array.from({ length: CLIENTS }, (_, at) => at);
    // The first ones begin at the same time.
    const begun = [...crowd.order.slice(0, sums).sort(), ...crowd.order.slice(sums)];
    t.equal(
      begun.map((at) => at + 1),
      inOrder.map((at) => at + 1),
      "clients requested sums one after another, but the files were not read in the order in which the requests arrived",
    );
    const { server } = await started(t);
    const blockers = new Slow(t, server, sums);
    const list = new Slow(t, server, 5);
    const single = new Slow(t, server, 1);
    const requests = [];
    for (const { name } of blockers.files) requests.push(await queued(t, server, [name]));
    t.ok(await blockers.begin(t, sums), `${sums} sums were requested, but fewer files were read`);
    const names = list.files.map(({ name }) => name);
    requests.push(await queued(t, server, names));
    requests.push(await queued(t, server, [single.files[0].name]));
    await blockers.end(blockers.files[0]);
    const isBegun = await list.begin(t, 1);
    await blockers.end(blockers.files[1]);
    const isNext = await single.begin(t, 1, 2500);
    const before = await list.look();
    t.ok(
      isBegun,
      "it was the turn of a request with a list of names, but the first file of the list was not read",
      {
        saw: isNext ? "the file of a later request was read" : "no file was read",
      },
    );
    t.ok(
      isNext && before === 1,
      "a request for one file waited behind the list of another client, but at most one file of each other request may come first",
      { saw: `${before} files of the list had been read by then`, wanted: 1 },
    );
    for (const each of [blockers, list, single]) each.endAll(t);
    const answers = await Promise.all(requests.map(({ answer }) => answer));
    t.equal(
      String(answers.at(-2).body),
      list.files.map(({ name, text }) => lineOf(t, name, text)).join(""),
      "a request with a list of names took turns with other requests, but the response did not have its lines in the order of the names",
    );
  },

  async flat(t) {
    const { certainly, MIB, outcome, PATIENT, put, ROOMY, started: start } = await t.shared();
    const { server } = await started(t);
    const asks = (each, name) =>
      t.clients(each, 4, `/sums?of=${name}`, { times: 2, seconds: 15, headers: PATIENT });
    const warm = async (each) => {
      await put(t, each, "small.bin", Buffer.alloc(t.parameters.limit, 1));
      return asks(each, "small.bin");
    };
    await warm(server);
    const before = await t.before(server, warm, (options) => start(t, ROOMY, options));
    const content = Buffer.alloc(LARGE_MIB * MIB);
    content.write(t.token());
    server.put("files/large.bin", content.subarray(0, 100), { size: content.length });
    const answers = await t.clients(server, t.parameters.sums, "/sums?of=large.bin", {
      seconds: 15,
      headers: PATIENT,
    });
    if (server.end) throw server.early();
    const grown = server.memory().peak - before;
    t.note(`growth during sums of a file of ${LARGE_MIB} MiB (MiB)`, Math.round(grown / MIB));
    certainly(() =>
      t.ok(
        grown < GROWTH_MIB * MIB,
        `when sums of a file of ${LARGE_MIB} MiB were requested, the drop grew by ${Math.round(grown / MIB)} MiB`,
        { wanted: "a few chunks, however large the file is" },
      ),
    );
    const wanted = lineOf(t, "large.bin", content);
    for (const answer of answers)
      t.ok(String(answer.body) === wanted, "the response has the wrong sum for a large file", {
        saw: answer.error ?? outcome(answer),
        wanted,
      });
  },

  async still(t) {
    const { fiveSteps, started: start } = await t.shared();
    await fiveSteps(t, await start(t));
  },
};
