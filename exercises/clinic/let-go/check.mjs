const SIZE = 256 * 1024;
const BOOKS = 200; // 50 MiB of pages
const HEAD = 200; // more bytes than a first line takes

const names = (t, count) => Array.from({ length: count }, () => t.token());

/** The page of a book as `{price, number}`, its number among what was rendered. */
async function page(t, server, id, situation = "a book was requested") {
  const answer = await t.get(server, `/books/${id}`, { seconds: 20 });
  const head = String(answer.body ?? "")
    .slice(0, HEAD)
    .split("\n")[0];
  const [, price, number] = /^[^:]*: (.*), page (\d+)$/.exec(head) ?? [];
  t.equal(answer.error ?? answer.status, 200, `${situation}, but the response was not a page`);
  t.ok(
    number && head.startsWith(`${id}: `) && answer.body.length === head.length + 1 + SIZE,
    `${situation}, but its page is no longer the same`,
    {
      saw: `${answer.body.length} bytes that begin with ${head}`,
      wanted: `${id}: PRICE, page N, and ${SIZE} bytes`,
    },
  );
  return { price, number: Number(number) };
}

async function priced(t, server, id, price) {
  const answer = await t.get(server, `/prices/${id}`, { method: "POST", body: price, seconds: 20 });
  t.equal(
    answer.error ?? answer.status,
    204,
    "the response to a posted price has the wrong status",
  );
}

/** Bytes by which the process has grown by many books, and by as many new prices of a single one. */
async function growth(t, server) {
  const [first] = names(t, 1);
  await page(t, server, first);
  const before = server.memory().now;
  for (const id of names(t, BOOKS)) await page(t, server, id);
  const books = server.memory().now;
  for (let at = 0; at < BOOKS; at++) {
    await priced(t, server, first, `${at} cents`);
    await page(t, server, first);
  }
  return { books: books - before, prices: server.memory().now - books };
}

const MIB = 2 ** 20;
const inMiB = (bytes) => `${Math.round(bytes / MIB)} MiB`;

export default {
  async right(t) {
    const server = await t.once("server", () => t.server());
    const { most } = t.parameters;
    const [early, late, ...others] = names(t, most + 4);
    t.equal(
      (await page(t, server, early)).price,
      "no price",
      "the page of a book without a price does not say so",
    );
    await priced(t, server, late, "250 cents");
    t.equal(
      (await page(t, server, late)).price,
      "250 cents",
      "a price was posted before the page was requested, but the page does not have that price",
    );
    const other = await page(t, server, others[0]);
    await priced(t, server, early, "7 cents");
    const news =
      "a new price was posted for a book whose page was kept, but the next response does not have the new price";
    t.equal((await page(t, server, early)).price, "7 cents", news);
    const again = await page(t, server, others[0]);
    t.equal(
      again.number,
      other.number,
      "only the price of another book had changed, but a page was rendered again",
    );
    for (const id of others) await page(t, server, id);
    for (const id of others.slice(-2)) {
      await priced(t, server, id, "9 cents");
      t.equal(
        (await page(t, server, id)).price,
        "9 cents",
        `a new price was posted after ${most + 4} books had been requested, but the next response does not have it`,
      );
    }
    t.equal(
      (await page(t, server, late)).price,
      "250 cents",
      "a price was forgotten together with its page",
    );
  },

  async kept(t) {
    const server = await t.once("server", () => t.server());
    const { most } = t.parameters;
    const books = names(t, most);
    const numbers = new Map();
    for (const id of books) numbers.set(id, (await page(t, server, id)).number);
    for (const id of books)
      t.equal(
        (await page(t, server, id)).number,
        numbers.get(id),
        `each of ${most} books was requested twice, but one of their pages was rendered again, with a different N`,
      );
    const [used, unused, ...rest] = books;
    await page(t, server, used);
    await page(t, server, t.token());
    t.equal(
      (await page(t, server, used)).number,
      numbers.get(used),
      "a book was requested again, then a new one, but the page that had just been used was no longer kept",
    );
    for (const id of rest.slice(1))
      t.equal(
        (await page(t, server, id)).number,
        numbers.get(id),
        `a book was requested again, then a new one, but one of the ${most} most recently used pages was rendered again`,
      );
    t.ok(
      (await page(t, server, unused)).number !== numbers.get(unused),
      `after ${most} other books had been requested, the page of a book should have been let go, but it was kept`,
      { saw: `page ${numbers.get(unused)} again`, wanted: "a page with a new number" },
    );
  },

  async bound(t) {
    const grown = {};
    for (const [who, options] of Object.entries({
      mine: {},
      good: { reference: t.job.solution },
      bad: { reference: "starter.mjs" },
    })) {
      const server = await t.server(options);
      grown[who] = await growth(t, server);
      await server.stop();
    }
    for (const [what, by] of [
      ["books", `${BOOKS} different books were requested`],
      [
        "prices",
        `${BOOKS} new prices were posted for one book, each before its page was requested`,
      ],
    ]) {
      const [mine, good, bad] = [grown.mine, grown.good, grown.bad].map((each) => each[what]);
      t.note(
        `MiB more after ${BOOKS} ${what}: yours, the solution's, the starter's`,
        [mine, good, bad].map(inMiB).join(", "),
      );
      t.ok(
        mine < (Math.max(good, 0) + bad) / 2,
        `${by}, and the process grew as if it kept all of their pages`,
        {
          saw: `${inMiB(mine)} more`,
          wanted: `about ${inMiB(Math.max(good, 0))} more`,
        },
      );
    }
  },
};
