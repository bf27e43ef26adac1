import { mkdirSync, renameSync, rmSync } from "node:fs";
import http from "node:http";
import net from "node:net";
import { join } from "node:path";

const SOON = 4000; // ms within which what should happen at once has happened, on any day
const LONG = "60000"; // ms that are over long after the check

/** Makes mistakes when the process is told to: the kinds of WRONG, one for each signal. */
const mistakes = `data:text/javascript,${encodeURIComponent(`
const kinds = (process.env.WRONG ?? "").split(",");
process.on("SIGUSR2", () => {
  const kind = kinds.shift();
  const error = new Error(process.env.WORD + "-" + kind);
  if (kind === "rejects") Promise.reject(error);
  else setTimeout(() => { throw error; });
});`)}`;

/** Starts a drop that makes these mistakes; `word` is in their messages. */
async function started(t, wrong = "throws", env = {}) {
  const { bytes, put, started: start, word } = await t.shared();
  const token = t.token();
  const options = { nodeArgs: ["--import", mistakes] };
  const server = await start(t, { WRONG: wrong, WORD: token, ...env }, options);
  const [name, content] = [word(t), bytes(t, 300)];
  t.equal(
    await put(t, server, name, content),
    201,
    "the upload of a new file was not answered with 201",
  );
  return { server, name, token, line: `${t.digest(content)}  ${name}\n` };
}

/** What comes back for bytes that are sent as they are: the status of the first answer, or "no response". */
const raw = (server, text) =>
  new Promise((resolve) => {
    const socket = net.connect(server.port, "127.0.0.1", () => socket.write(text));
    let answer = "";
    const done = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]) || "no response");
    };
    const timer = setTimeout(done, SOON);
    socket.on("data", (chunk) => {
      answer += chunk.toString("latin1");
      if (answer.includes("\r\n")) done();
    });
    socket.on("error", () => {}).on("close", done);
  });

/**
 * Half of an upload: its client waits for an answer, and holds no thread of the pool, as a read does that hangs; before such a read
 * returns no process can exit.
 */
async function half(t, server, agent) {
  const { bytes, word } = await t.shared();
  const content = bytes(t, 200_000);
  const upload = http.request({
    host: "127.0.0.1",
    port: server.port,
    path: `/files/${word(t)}`,
    method: "PUT",
    headers: { "content-length": content.length },
    agent,
  });
  const over = new Promise((resolve) => {
    upload.on("response", (response) => {
      response.resume().on("error", () => {});
      response.on("end", () => resolve(response.statusCode));
    });
    upload.on("error", ({ code }) => resolve(code));
  });
  await new Promise((sent) => upload.write(content.subarray(0, 100_000), sent));
  const finish = () => upload.end(content.subarray(100_000));
  return { over, finish, leave: () => upload.destroy() };
}

async function finished(t, server, upload, what) {
  upload.finish();
  const saw = await Promise.race([upload.over, t.sleep(SOON, "no response")]);
  if (saw !== 201) await alive(t, server, what);
  t.equal(saw, 201, `${what}, but an upload that had begun was not answered`);
}

/** Holds that no new connection is taken, soon; and that the process is there. */
async function closes(t, server, what) {
  const closed = () => t.get(server, "/ping", { seconds: 1 }).then(({ error }) => Boolean(error));
  const isClosed = await t.until(closed, SOON);
  await alive(t, server, what);
  t.ok(isClosed, `${what}, but ${SOON / 1000} s later a new connection was accepted`, {
    wanted: "connection refused",
  });
}

async function alive(t, server, what) {
  await t.until(() => server.end, 200);
  if (server.reason) throw server.reason; // the grader has ended it
  t.ok(
    !server.end,
    `${what}, and the drop ended while clients waited for responses to requests that had begun, so these responses were lost`,
    { saw: server.end && `exit code ${server.end.code ?? server.end.signal}` },
  );
}

/** Holds that the process ends by itself, with exit code 1, and has written these texts. */
async function ended(t, server, what, texts, ms = SOON) {
  await t.until(() => server.end, ms);
  t.ok(server.end, `${what}, but ${ms / 1000} s later the process was still running`, {
    wanted: "exit code 1",
  });
  if (server.reason) throw server.reason; // the grader has ended it
  const { code, signal } = server.end;
  t.ok(
    code === 1,
    `${what}, but the process ended ${signal ? `by ${signal}` : `with exit code ${code}`}. The program that restarts it has to know that it failed`,
    { wanted: "exit code 1" },
  );
  for (const text of texts)
    t.ok(server.stderr.includes(text), `${what}, but the error was not written to standard error`, {
      saw: server.stderr.slice(-2000) || "nothing",
      wanted: text,
    });
}

export default {
  async bad(t) {
    const { answers, ask, begins, has, lineOf, Slow, sumsOf, word } = await t.shared();
    const { server } = await started(t);
    const slow = new Slow(t, server, 1);
    const waits = sumsOf(server, slow.files);
    await begins(t, slow, 1, "a sum");
    const folder = word(t);
    mkdirSync(join(server.work, "files", folder, "inner"), { recursive: true });
    const head = "HTTP/1.1\r\nhost: drop\r\n";
    for (let time = 0; time < 2; time++)
      for (const [text, what] of [
        [`${t.token()}\r\n\r\n`, "a line that is not HTTP"],
        [
          `PUT /files/${word(t)} ${head}transfer-encoding: chunked\r\n\r\nZZ\r\nx\r\n`,
          "an upload with a chunk that is not HTTP",
        ],
        [`GET // ${head}\r\n`, "GET //"],
        [`GET /files/%00 ${head}\r\n`, "GET /files/%00"],
        [`GET /sums?of=%zz ${head}\r\n`, "GET /sums?of=%zz"],
        [`GET /ping ${head}x: ${"y".repeat(100_000)}\r\n\r\n`, "a header of 100,000 bytes"],
      ]) {
        const status = await raw(server, text);
        if (await t.until(() => server.end, 20))
          t.miss(`${what} ended the drop, so the responses to all clients were lost`, {
            saw: server.stderr.slice(-2000),
          });
        t.ok(
          status >= 400 && status < 500,
          `${what} was not answered with a status from 400 to 499`,
          { saw: status },
        );
      }
    const why = ", although that is a folder";
    has(t, await ask(t, server, `/files/${folder}`), 404, why);
    has(t, await ask(t, server, `/files/${folder}`, { method: "HEAD" }), 404, why);
    has(t, await ask(t, server, `/previews/${folder}`), 404, why);
    has(t, await ask(t, server, `/sums?of=${folder}`), 404, why);
    has(t, await ask(t, server, `/files/${folder}`, { method: "PUT", body: "x" }), 409, why);
    const list = await ask(t, server, "/files");
    has(t, list, 200);
    await slow.endAll(t);
    await answers(t, waits, 200, lineOf(t, slow.files[0]), "other clients had sent bad requests");
  },

  async failed(t) {
    const { answers, ask, has, plain, put, sumsOf, word } = await t.shared();
    const { server, name, line } = await started(t);
    const { picture, preview } = plain(t.parameters.shrink);
    const pictureName = word(t);
    await put(t, server, pictureName, picture);
    const [folder, away] = ["files", "away"].map((each) => join(server.work, each));
    for (let time = 0; time < 2; time++) {
      renameSync(folder, away);
      server.put("files", "no folder");
      for (const [path, method] of [
        [`/files/${name}`],
        ["/files"],
        [`/sums?of=${name}`],
        [`/previews/${pictureName}`],
        [`/files/${word(t)}`, "PUT"],
      ]) {
        const options = { method, ...(method && { body: "x" }) };
        has(t, await ask(t, server, path, options), 500, ", while FOLDER was a file");
      }
      has(t, await ask(t, server, "/ping"), 200);
      rmSync(folder);
      renameSync(away, folder);
      has(t, await ask(t, server, `/files/${name}`), 200, ", when FOLDER was a folder again");
      await answers(t, sumsOf(server, [{ name }]), 200, line, "FOLDER was a folder again");
      const made = await ask(t, server, `/previews/${pictureName}`);
      has(t, made, 200, ", when FOLDER was a folder again");
      t.ok(made.body.equals(preview), `the response to ${made.text} is the wrong picture`);
      const stored = await put(t, server, word(t), "x");
      t.equal(stored, 201, "an upload was not answered with 201 when FOLDER was a folder again");
    }
  },

  async drained(t) {
    const { settled } = await t.shared();
    const { server, token } = await started(t, "throws", { GRACE: LONG });
    const [idle, kept] = [1, 2].map(() => new http.Agent({ keepAlive: true }));
    try {
      await t.get(server, "/ping", { agent: idle });
      const uploads = [];
      for (const agent of [kept, false]) uploads.push(await half(t, server, agent));
      await settled(t, server);
      server.signal("SIGUSR2");
      const what = "a timer threw an error that nothing catches";
      await closes(t, server, what);
      for (const upload of uploads) await finished(t, server, upload, what);
      await ended(t, server, `${what}, all responses had been sent, and connections were idle`, [
        `${token}-throws`,
      ]);
    } finally {
      for (const agent of [idle, kept]) agent.destroy();
    }
  },

  async grace(t) {
    const { settled } = await t.shared();
    const { server } = await started(t, "throws", { GRACE: "1200" });
    const upload = await half(t, server, false);
    await settled(t, server);
    const since = t.now();
    server.signal("SIGUSR2");
    const what = "a timer threw an error, and GRACE was 1200 ms";
    await t.until(() => server.end, 1000 - (t.now() - since));
    if (t.now() - since < 1100 && server.end) await alive(t, server, what);
    await ended(t, server, what, [], 6000);
    upload.leave();
  },

  async again(t) {
    const { settled } = await t.shared();
    const { server, token } = await started(t, "rejects,throws,rejects", { GRACE: LONG });
    const upload = await half(t, server, false);
    await settled(t, server);
    server.signal("SIGUSR2");
    await closes(t, server, "a promise was rejected and nothing handled the rejection");
    const what = "further errors occurred while a client waited for the last response";
    for (let time = 0; time < 2; time++) {
      server.signal("SIGUSR2");
      await alive(t, server, what);
    }
    await finished(t, server, upload, what);
    await ended(
      t,
      server,
      "errors occurred that nothing catches, and all responses had been sent",
      [`${token}-rejects`, `${token}-throws`],
    );
  },

  async still(t) {
    const { sixSteps } = await t.shared();
    await sixSteps(t);
  },
};
