const NAMES = ["keep", "take", "full"];
const LATER = 60_000; // when no ticket of these cases is valid any more, unless it says so
const hosts = (t) => [`${t.token()}:443`, `${t.token()}:8443`];
const tokens = (t, count) => Array.from({ length: count }, () => t.token());

/** A fresh hand-in, with calls by the names of its functions. Of what `take` returns, the place among the tickets is told. */
async function opened(t) {
  const student = await t.module();
  for (const name of NAMES) student.needs(name);
  const call =
    (name) =>
    (...given) =>
      student.call(name, ...given);
  return Object.fromEntries(NAMES.map((name) => [name, call(name)]));
}

async function keepAll({ keep }, server, tickets, until = LATER) {
  for (const ticket of tickets) await keep(server, ticket, until);
}
const numbered = (number) => `ticket ${number}`; // in the order in which a server's tickets came
/** Takes so often, and says which of the tickets came; what is none of them stays as it is. */
async function taken({ take }, server, tickets, times, now = 1) {
  const all = [];
  for (let time = 0; time < times; time++) {
    const ticket = await take(server, now);
    const index = tickets.indexOf(ticket);
    all.push(index < 0 ? ticket : numbered(index + 1));
  }
  return all;
}

export default {
  async newest(t) {
    const run = await opened(t);
    const [server, other] = hosts(t);
    const tickets = tokens(t, 2);
    t.equal(
      await run.take(server, 1),
      undefined,
      "no ticket was kept yet, but `take` did not return `undefined`",
    );
    await keepAll(run, server, tickets);
    t.equal(
      await run.take(other, 1),
      undefined,
      "tickets were kept for one server only, but `take` did not return `undefined` for another server",
    );
    const [first, second] = await taken(run, server, tickets, 2);
    t.equal(
      first,
      numbered(2),
      "two tickets were kept, but the ticket that `take` returned first is not the newer one",
    );
    t.equal(
      second,
      numbered(1),
      "two tickets were kept, but `take` did not return the older one in its second call",
    );
    const [lasting, last] = tokens(t, 2);
    await run.keep(server, lasting, 2 * LATER);
    await run.keep(server, last, LATER);
    t.equal(
      await taken(run, server, [lasting, last], 2),
      [numbered(2), numbered(1)],
      "the older of two tickets is valid for longer, but `take` did not return the newer one first",
    );
  },

  async once(t) {
    const run = await opened(t);
    const [server, other] = hosts(t);
    const [mine, theirs] = [tokens(t, 1), tokens(t, 1)];
    await keepAll(run, server, mine);
    await keepAll(run, other, theirs);
    await run.take(server, 1);
    t.equal(
      await run.take(server, 1),
      undefined,
      "the server's only ticket had been returned, but the next `take` did not return `undefined`",
    );
    t.equal(
      await taken(run, other, theirs, 1),
      [numbered(1)],
      "a ticket was taken for one server, but `take` then did not return the ticket of another server",
    );
    const more = tokens(t, 1);
    await keepAll(run, server, more);
    t.equal(
      await taken(run, server, more, 2),
      [numbered(1), undefined],
      "a new ticket came after the old one had been taken, but the next two calls of `take` did not return it and then `undefined`",
    );
  },

  async valid(t) {
    const [server] = hosts(t);
    const until = t.random.integer(1000, 9000);
    const [one] = tokens(t, 1);
    const after = await opened(t);
    await after.keep(server, one, until);
    t.equal(
      await after.take(server, until + 500),
      undefined,
      `a ticket was valid before ${until}, but \`take\` did not return \`undefined\` long after that, at ${until + 500}`,
    );
    const atEnd = await opened(t);
    await atEnd.keep(server, one, until);
    t.equal(
      await atEnd.take(server, until),
      undefined,
      `a ticket was valid before ${until}, but \`take\` did not return \`undefined\` at ${until}`,
    );
    const before = await opened(t);
    await before.keep(server, one, until);
    t.equal(
      await taken(before, server, [one], 1, until - 1),
      [numbered(1)],
      `a ticket was valid before ${until}, but \`take\` did not return it at ${until - 1}`,
    );
    const behind = await opened(t);
    const tickets = tokens(t, 2);
    await behind.keep(server, tickets[0], until + 5000);
    await behind.keep(server, tickets[1], until);
    t.equal(
      await taken(behind, server, tickets, 2, until + 1),
      [numbered(1), undefined],
      "the newer of two tickets wasn't valid any more, and the older one was, but two calls of `take` did not return the older one and then `undefined`",
    );
  },

  async limit(t) {
    const { most } = t.parameters;
    const run = await opened(t);
    const [server, other] = hosts(t);
    const [many, few] = [tokens(t, most + 2), tokens(t, 1)];
    await keepAll(run, other, few);
    await keepAll(run, server, many);
    const back = await taken(run, server, many, most + 2);
    const count = back.filter((ticket) => ticket !== undefined).length;
    const sent = `a server sent ${most + 2} tickets, of which at most ${most} are kept`;
    t.ok(count < most + 2, `${sent}, but all of them came back`);
    t.equal(count, most, `${sent}, but the number of tickets that came back is wrong`);
    const wanted = Array.from({ length: most }, (_, place) => numbered(most + 2 - place));
    t.equal(
      back.slice(0, most),
      wanted,
      `${sent}, but the tickets that came back are not the newest, or not in the right order`,
    );
    t.equal(
      await taken(run, other, few, 1),
      [numbered(1)],
      `one server sent ${most + 2} tickets, but \`take\` did not return the ticket of another server, which had sent one`,
    );
    const falling = tokens(t, most + 1); // each is valid for less time than the one before
    for (const [place, ticket] of falling.entries())
      await run.keep(server, ticket, LATER * (most + 2 - place));
    t.equal(
      await taken(run, server, falling, most + 1),
      [...falling.keys()].map((place) => (place < most ? numbered(most + 1 - place) : undefined)),
      `a server sent ${most + 1} tickets, of which the oldest is valid for longest, but it was not the one that was dropped`,
    );
  },

  async full(t) {
    const run = await opened(t);
    const [server, other] = hosts(t);
    const [mine, theirs, after] = [tokens(t, 2), tokens(t, 1), tokens(t, 1)];
    await run.full(server); // of a server without tickets
    await keepAll(run, server, mine);
    await keepAll(run, other, theirs);
    await run.full(server);
    t.equal(
      await taken(run, server, mine, 1),
      [undefined],
      "a server had made a full handshake, but `take` still returned one of its earlier tickets",
    );
    t.equal(
      await taken(run, other, theirs, 1),
      [numbered(1)],
      "one server had made a full handshake, but `take` did not return the ticket that was kept for another server",
    );
    await keepAll(run, server, after);
    t.equal(
      await taken(run, server, after, 1),
      [numbered(1)],
      "a server had made a full handshake and then sent a ticket, but `take` did not return it",
    );
  },
};
