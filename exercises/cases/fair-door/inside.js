// The clients stand in the server's own process, as in the replay of the chapter: their loop is its loop, so what happens in which
// turn does not depend on the machine, and answers can be counted where others would need a clock.
const net = own.require("node:net");
const { connect } = net;

// The sockets of the clients are the server's as well: what they do cannot be changed. (An object may have its own, as Node's have.)
exports.prepare = () => {
  const { prototype } = net.Socket;
  for (const [name, { value, configurable }] of Object.entries(
    Object.getOwnPropertyDescriptors(prototype),
  )) {
    if (typeof value !== "function" || !configurable || name === "constructor") continue;
    Object.defineProperty(prototype, name, {
      configurable: false,
      enumerable: true,
      get: () => value,
      set(changed) {
        if (this === prototype) throw new TypeError(`${name} belongs to Node`);
        Object.defineProperty(this, name, {
          value: changed,
          writable: true,
          configurable: true,
          enumerable: true,
        });
      },
    });
  }
};

/** The first whole answer of a text, and what follows it; undefined while it has not all come. */
function answer(text, closed) {
  const [, head, rest] = text.match(/^(.*?)\r\n\r\n(.*)$/s) ?? [];
  if (head === undefined) return undefined;
  const status = Number(head.split(" ")[1]);
  const length = head.match(/^content-length: *(\d+)/im)?.[1];
  if (length !== undefined)
    return rest.length >= Number(length) ? { status, body: rest.slice(0, length) } : undefined;
  if (!/^transfer-encoding: *chunked/im.test(head))
    return closed ? { status, body: rest } : undefined;
  if (!/(^|\r\n)0\r\n\r\n$/.test(rest)) return undefined;
  return { status, body: rest.replace(/(^|\r\n)[0-9a-f]+\r\n/gi, "").trim() };
}

/** All clients connect at once, and ask one thing after the other; how many answers others had got before each answer came. */
exports.crowd = async function crowd(_student, { port, paths }) {
  const rows = [];
  let answers = 0;
  const client = (all, number) =>
    new Promise((resolve) => {
      let socket;
      let text = "";
      let at = 0;
      let closed = 0; // without an answer: a request may cross with the end of a connection once
      const ask = () => socket.write(`GET ${all[at]} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
      const done = (row) => {
        rows.push({ number, first: at === 0, path: all[at], before: answers, ...row });
        if (!row.error) answers++;
        text = "";
        closed = 0;
        at++;
        if (at === all.length) socket.destroy();
      };
      const open = () => {
        const mine = connect(port, "127.0.0.1");
        socket = mine;
        mine.setEncoding("latin1");
        mine.on("error", () => {});
        mine.on("data", (chunk) => {
          text += chunk;
          const whole = answer(text, false);
          if (!whole) return;
          done(whole);
          if (at < all.length) ask();
        });
        // Who is sent away after an answer comes back to the door; who is sent away without one has lost it.
        mine.on("close", () => {
          if (at < all.length && text !== "")
            done(answer(text, true) ?? { error: "the connection was closed" });
          else if (at < all.length && ++closed > 1) done({ error: "the connection was closed" });
          if (at === all.length) return resolve();
          open();
        });
        ask();
      };
      open();
    });
  await Promise.all(paths.map(client));
  return rows;
};
