const SIZE = 300 * 1024;
const TIMES = 15;
const MARK = "%NAME%";

function page(t, letters = "abcdefghijklmnopqrstuvwxyz ,.\n", size = SIZE) {
  const line = () => Array.from({ length: 60 }, () => t.random.pick([...letters])).join("");
  const lines = Array.from({ length: 50 }, line);
  const half = (share) => {
    let text = "";
    while (text.length < share * size) text += t.random.pick(lines);
    return text;
  };
  const first = t.random.integer(2, 8) / 10;
  return `${half(first)} Hello ${MARK}! ${half(1 - first)}${t.token()}`;
}
const wanted = (text, name) => Buffer.from(text.split(MARK).join(name));

const served = (t, which, text) =>
  t.once(which, async () => {
    const student = await t.module();
    student.needs("greeter");
    const server = { student, name: "", page: text };
    server.port = await student.scene("listen", {
      page: text,
      name: t.callback(async () => server.name),
    });
    return server;
  });
const plain = (t) => served(t, "plain", page(t));

async function ask(t, server, name) {
  server.name = name;
  return t.get(server, "/", { seconds: 3 });
}

async function held(t, server, name, what) {
  const answer = await ask(t, server, name);
  const bytes = wanted(server.page, name);
  const stated = Number(answer.headers?.["content-length"]);
  const short = bytes.length - Buffer.byteLength(name) + name.length;
  const seen = {
    saw: answer.error ?? `${stated} bytes announced`,
    wanted: `${bytes.length} bytes`,
  };
  if (bytes.length !== short && (stated === short || answer.error?.startsWith("HPE_")))
    t.miss(`with ${what}, the content-length counts characters, but the page has more bytes`, seen);
  if (answer.error)
    t.miss(`with ${what}, the response was not as long as its content-length announced`, seen);
  t.equal(answer.status, 200, `with ${what}, the response has the wrong status`);
  t.equal(
    answer.headers["content-type"]?.toLowerCase().replaceAll(" ", ""),
    "text/plain;charset=utf-8",
    "the content-type of the response is wrong",
  );
  if (name.includes("$") && !answer.body.equals(bytes))
    t.miss(`with ${what}, the dollar signs were not sent as they are`, {
      saw: `${answer.body.length} bytes`,
      wanted: `${bytes.length} bytes`,
    });
  t.ok(answer.body.equals(bytes), `with ${what}, the page arrived with the wrong bytes`, {
    saw: `${answer.body.length} bytes`,
    wanted: `${bytes.length} bytes`,
  });
  t.equal(stated, bytes.length, `with ${what}, the content-length is wrong`);
}

export default {
  async whole(t) {
    const server = await plain(t);
    await held(t, server, "Ada", "the name Ada");
    await held(t, server, t.token(), "a name");
    await held(t, server, "Ab", "a shorter name after a longer one");
    await held(t, server, "", "no name at all");
    await held(t, server, "x".repeat(t.random.integer(60, 100)), "a long name");
    await held(t, server, "$& and $1", "the name `$& and $1`");
    await held(t, server, MARK, `a visitor called ${MARK}`);
  },

  async letters(t) {
    const server = await plain(t);
    for (const name of ["Zoë", "Łukasz", "Дмитрий", "👩‍🚀", "光"])
      await held(t, server, name, `the name ${name}`);
    const other = await served(t, "letters", page(t, "абвгдежз €ß🚀日本", SIZE / 4));
    for (const name of ["Ada", "Zoë"])
      await held(t, other, name, `the name ${name} in a page with characters of several bytes`);
  },

  async once(t) {
    const server = await plain(t);
    await server.student.scene("growth");
    for (let i = 0; i < TIMES; i++) await ask(t, server, t.token());
    const seen = await server.student.scene("growth");
    // A collection takes away: most answers have none.
    const typical = (kind) => seen.map((one) => one[kind]).sort((a, b) => a - b)[TIMES >> 1];
    const kib = (bytes) => `${(bytes / 1024).toFixed(0)} KiB`;
    const [strings, buffers] = [typical("strings"), typical("buffers")];
    t.note("new long strings for a response, bytes", strings);
    t.note("new Buffers for a response, bytes", buffers);
    const saw = `${kib(strings)} of long strings and ${kib(buffers)} of Buffers for each response`;
    t.ok(
      strings < SIZE / 4,
      "for each response, the page was built as a string again and encoded again",
      { saw, wanted: "memory for a name only" },
    );
    t.ok(buffers < SIZE / 4, "the page was encoded once, but then copied for each response", {
      saw,
      wanted: "memory for a name only",
    });
  },

  async shared(t) {
    const { student, page: text } = await plain(t);
    const names = ["Ada", "Bob", "Eve", "Dan"].map((name) => name + t.random.integer(100, 999));
    const answers = await student.scene("slowly", { page: text, names });
    for (const [i, name] of names.entries()) {
      const body = answers[i].subarray(answers[i].indexOf("\r\n\r\n") + 4);
      const other = names.find((each) => each !== name && body.includes(each));
      if (other)
        t.miss("four clients were reading slowly, and one of them got another client's name", {
          saw: other,
          wanted: name,
        });
      t.ok(
        body.equals(wanted(text, name)),
        "four clients were reading slowly, and one of them did not get the whole page",
        {
          saw: `${body.length} bytes`,
          wanted: `${wanted(text, name).length} bytes`,
        },
      );
    }
  },
};
