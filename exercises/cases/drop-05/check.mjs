import { readFileSync } from "node:fs";
import { join } from "node:path";

const AT_ONCE = 16;
const THREADS = 3;
const POOL = 6; // threads that Node itself starts when they are first needed, and two more
const SIZE = [1500, 1000]; // of a picture that takes a processor some milliseconds

const header = (width, height) => Buffer.from(`P6\n${width} ${height}\n255\n`);
const ppm = (width, height, pixels) => Buffer.concat([header(width, height), pixels]);

/** The preview of a picture, pixel by pixel; `mean` of a sum and a count. */
function smaller(
  { width, height, pixels },
  shrink,
  mean = (sum, count) => Math.floor(sum / count),
) {
  const [columns, rows] = [Math.floor(width / shrink), Math.floor(height / shrink)];
  const smallPixels = Buffer.alloc(3 * columns * rows);
  for (let at = 0; at < smallPixels.length; at++) {
    const [row, column, colour] = [
      Math.floor(at / 3 / columns),
      Math.floor(at / 3) % columns,
      at % 3,
    ];
    let sum = 0;
    for (let y = 0; y < shrink; y++)
      for (let x = 0; x < shrink; x++)
        sum += pixels[3 * ((row * shrink + y) * width + column * shrink + x) + colour];
    smallPixels[at] = mean(sum, shrink ** 2);
  }
  return ppm(columns, rows, smallPixels);
}

async function roomy(t) {
  const { ROOMY, started } = await t.shared();
  return started(t, ROOMY);
}
const started = (t) => t.once("server", () => roomy(t));

async function preview(t, server, name, options) {
  const { ask, PATIENT } = await t.shared();
  return ask(t, server, `/previews/${name}`, { seconds: 15, headers: PATIENT, ...options });
}

async function stores(t, server, content) {
  const { put, word } = await t.shared();
  const name = word(t);
  t.equal(
    await put(t, server, name, content),
    201,
    "the upload of a new file was not answered with 201",
  );
  return name;
}

/** A picture of `size` for its folder, and its preview; larger than the limit of uploads. */
const large = (t) =>
  t.once("large", async () => {
    const { shrink } = t.parameters;
    const server = await roomy(t);
    await stores(t, server, "first"); // and so its folder is there
    const [width, height] = SIZE;
    const pixels = Buffer.alloc(3 * width * height, t.token());
    server.put(join("files", "large.ppm"), ppm(width, height, pixels));
    const wanted = Math.floor(width / shrink) * Math.floor(height / shrink) * 3;
    return { server, wanted };
  });

/** Milliseconds that the first thread of a process, which is that of the loop, has had a processor. */
const ofLoop = ({ pid }) =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;

export default {
  async made(t) {
    const { bytes, has, outcome } = await t.shared();
    const { shrink } = t.parameters;
    const server = await started(t);
    for (const [wide, high, more] of [
      [0, 0, 0],
      [shrink - 1, 1, 0],
      [1, shrink - 1, 5],
    ]) {
      const width = shrink * t.random.integer(5, 9) + wide;
      const height = shrink * t.random.integer(5, 9) + high;
      const pixels = bytes(t, 3 * width * height);
      const picture = { width, height, pixels };
      const content = Buffer.concat([ppm(width, height, pixels), Buffer.alloc(more)]);
      const name = await stores(t, server, content);
      const right = smaller(picture, shrink);
      const what = `a picture of ${width} by ${height} pixels`;
      const answer = await preview(t, server, name);
      has(t, answer, 200, `, although that is ${what}`);
      t.equal(
        answer.headers["content-type"],
        "image/x-portable-pixmap",
        `the response to ${answer.text} has the wrong content-type`,
      );
      if (
        answer.body.equals(smaller(picture, shrink, (sum, count) => Math.round(sum / count))) &&
        !answer.body.equals(right)
      )
        t.miss(`the preview of ${what} has means that are not rounded down`);
      const begin = right.subarray(0, right.indexOf("255\n") + 4);
      t.ok(
        answer.body.subarray(0, begin.length).equals(begin),
        `the preview of ${what} begins with the wrong header. Rows and columns that don't fill a pixel are left out`,
        {
          saw: answer.body.subarray(0, begin.length).toString("latin1"),
          wanted: begin.toString("latin1"),
        },
      );
      t.ok(answer.body.equals(right), `the preview of ${what} has the wrong pixels`, {
        saw: outcome(answer),
        wanted: `200, ${right.length} bytes`,
      });
      const head = await preview(t, server, name, { method: "HEAD" });
      has(t, head, 200);
      t.equal(head.body.length, 0, `the response to ${head.text} should have no body`);
      has(
        t,
        await preview(t, server, name, { method: "PUT", body: "x" }),
        405,
        ", although a preview does not support PUT",
      );
    }
    has(t, await preview(t, server, t.token()), 404, ", although the file is missing");
    has(t, await preview(t, server, "..%2Fx"), 400, ", although that is not a valid file name");
  },

  async none(t) {
    const { bytes, has } = await t.shared();
    const { shrink } = t.parameters;
    const server = await started(t);
    const [width, height] = [shrink * 6, shrink * 5];
    const pixels = bytes(t, 3 * width * height);
    let tried = 0;
    const good = await stores(t, server, ppm(width, height, pixels));
    for (const [content, what] of [
      [Buffer.from("no picture\n"), "a text"],
      [Buffer.alloc(0), "an empty file"],
      [
        Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`), pixels]),
        "a picture in another format",
      ],
      [
        Buffer.concat([Buffer.from(`P6\n${width} ${height}\n65535\n`), pixels]),
        "a picture with two bytes per colour",
      ],
      [
        ppm(width, height, pixels.subarray(1)),
        "a picture that is one byte shorter than its header says",
      ],
      [
        ppm(90000, 90000, Buffer.alloc(3)),
        "a picture that is billions of bytes shorter than its header says",
      ],
      [ppm(shrink - 1, height, pixels), "a picture that is too narrow for a pixel"],
      [ppm(width, 0, pixels), "a picture without rows"],
    ]) {
      const name = await stores(t, server, content);
      const answer = await preview(t, server, name, { seconds: 5 });
      if (answer.error === "timeout" && tried > 0)
        t.miss(`after ${tried} files that are not pictures, previews were no longer answered`, {
          saw: `no response within 5 s to ${answer.text}, which is ${what}`,
          wanted: 422,
        });
      has(t, answer, 422, `, although that is ${what}`);
      tried++;
    }
    const answers = await t.clients(server, 4, `/previews/${good}`, { seconds: 5 });
    t.ok(
      answers.every(({ status }) => status === 200),
      `after ${tried} files that are not pictures, previews of a real picture were no longer made`,
      { saw: answers.map(({ error, status }) => error ?? status), wanted: "200, four times" },
    );
  },

  async off(t) {
    const { certainly, PATIENT } = await t.shared();
    const { server, wanted } = await large(t);
    const ask = () =>
      t.clients(server, 2, "/previews/large.ppm", { seconds: 15, headers: PATIENT });
    await ask(); // what is only needed the first time is there now
    const sum = ({ user, system }) => user + system;
    const before = { all: sum(server.cpu()), loop: ofLoop(server) };
    const previews = t.clients(server, 4, "/previews/large.ppm", {
      times: 3,
      seconds: 15,
      headers: PATIENT,
    });
    let isOver = false;
    previews.then(() => {
      isOver = true;
    });
    const pings = [];
    while (!isOver) {
      pings.push(await t.get(server, "/ping", { seconds: 15 }));
      await t.sleep(20);
    }
    const answers = await previews;
    if (server.end) throw server.early();
    const all = sum(server.cpu()) - before.all;
    const loop = ofLoop(server) - before.loop;
    const failed = answers.find(({ status, body }) => status !== 200 || body.length < wanted);
    t.ok(!failed, "one of twelve previews of a large picture was not answered with 200", {
      saw: failed?.error ?? failed?.status,
      wanted: 200,
    });
    t.note("processor time of twelve previews (ms)", Math.round(all));
    t.note("of these, on the loop's thread (ms)", Math.round(loop));
    certainly(() =>
      t.ok(
        loop < 0.4 * all,
        `while twelve previews were made, the thread of the loop itself used ${Math.round((100 * loop) / all)} % of the processor time, and every other request waits for that thread`,
        { saw: `${Math.round(loop)} of ${Math.round(all)} ms`, wanted: "almost nothing" },
      ),
    );
    t.ok(
      pings.every(({ body }) => String(body) === "pong\n"),
      "while previews were made, a ping was not answered",
    );
  },

  async threads(t) {
    const { certainly, PATIENT } = await t.shared();
    await large(t);
    const server = await roomy(t);
    await stores(t, server, "first");
    const { server: other } = await large(t);
    const content = other.read(join("files", "large.ppm"));
    server.put(join("files", "large.ppm"), content);
    const before = server.threads();
    let isOver = false;
    const previews = t
      .clients(server, AT_ONCE, "/previews/large.ppm", { seconds: 15, headers: PATIENT })
      .finally(() => {
        isOver = true;
      });
    let most = 0;
    while (!isOver) {
      most = Math.max(most, server.threads());
      await t.sleep(5);
    }
    const answers = await previews;
    if (server.end) throw server.early();
    t.ok(
      answers.every(({ status }) => status === 200),
      `${AT_ONCE} previews were requested at once, but not all were answered with 200`,
      { saw: answers.map(({ error, status }) => error ?? status) },
    );
    t.note("threads that sixteen previews started", most - before);
    certainly(() =>
      t.ok(
        most - before <= THREADS + POOL,
        `${AT_ONCE} previews were requested at once, and the drop had ${most - before} more threads than before`,
        { wanted: `${THREADS}, plus the threads that Node starts for itself` },
      ),
    );
  },

  async still(t) {
    const { ask, has, leaves, started: start, threeSteps } = await t.shared();
    const server = await start(t);
    const { name, content } = await threeSteps(t, server);
    const list = await ask(t, server, "/files");
    has(t, list, 200);
    await t.clients(server, 4, `/previews/${name}`); // so that there are workers, which must not stay
    t.equal(
      String(list.body),
      JSON.stringify([{ name, bytes: content.length }]),
      "the response to GET /files is the wrong list",
    );
    await leaves(t, server);
  },
};
