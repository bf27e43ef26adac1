/** What becomes of c · R requests, turn by turn; the last argument changes a rule, to know a mistake by its number. */
function turns(c, R, S, T, { comesBack = true, pays = true, perTurn = 1 } = {}) {
  const door = [];
  const inside = [];
  const alive = new Set();
  let now = 0;
  let lost = 0;
  let first = 0;
  const arrives = (client, left, sent) => {
    const one = { client, left, sent, number: R - left, gone: false };
    alive.add(one);
    door.push(one);
  };
  for (let client = 0; client < c; client++) arrives(client, R - 1, 0);
  const giveUp = () => {
    for (;;) {
      let next;
      for (const one of alive)
        if (one.sent + T < now && (!next || one.sent < next.sent)) next = one;
      if (!next) return;
      alive.delete(next);
      next.gone = true;
      lost++;
      if (next.number === 1) first++;
      if (comesBack && next.left > 0) arrives(next.client, next.left - 1, next.sent + T);
    }
  };
  while (door.length > 0 || inside.length > 0) {
    giveUp();
    inside.push(...door.splice(0, perTurn));
    for (const one of inside.splice(0)) {
      if (!one.gone || pays) now += S;
      giveUp();
      if (one.gone) continue;
      if (one.left === 0) {
        alive.delete(one);
        continue;
      }
      one.left--;
      one.number++;
      alive.delete(one); // whoever has sent last stands last
      alive.add(one);
      one.sent = now;
      inside.push(one);
    }
  }
  return { lost, first };
}

const asked = (t) =>
  t.once("module", async () => {
    const student = await t.module();
    student.needs("lost");
    return student;
  });
const words = ([c, R, S, T]) => `lost(${c}, ${R}, ${S}, ${T})`;
// No sum of answers is ever a patience: nothing ends at the very moment at which somebody gives up.
const patience = (t, from, to) => t.random.integer(Math.ceil(from), Math.floor(to)) + 1 / 128;

function cases(t, count, share, fits) {
  const found = [];
  while (found.length < count) {
    const [c, R, S] = [t.random.integer(15, 50), t.random.integer(2, 5), t.random.integer(3, 40)];
    const given = [c, R, S, patience(t, share[0] * c * R * S, share[1] * c * R * S)];
    if (fits(given)) found.push(given);
  }
  return found;
}

async function holds(t, given, mistakes) {
  const student = await asked(t);
  const saw = await student.call("lost", ...given);
  const wanted = turns(...given).lost;
  if (saw === wanted) return;
  for (const [number, message] of mistakes(...given))
    if (saw === number)
      t.miss(`${words(given)} returned the wrong number. ${message}`, { saw, wanted });
  t.miss(`${words(given)} returned the wrong number`, { saw, wanted });
}

const formula = (c, R, S, T) => {
  const exact = c - T / (R * S);
  const told =
    "The page's formula gives that number, but does not count whole clients, so go through the turns one by one";
  return [
    exact,
    Math.round(exact),
    Math.floor(exact),
    Math.max(0, Math.round(exact)),
    Math.max(0, Math.floor(exact)),
  ].map((number) => [number, told]);
};
const all = (c, R, S, T) => [
  turns(c, R, S, T, { perTurn: Infinity }).lost,
  "You get that number if all clients at the door are let in during one turn",
];

export default {
  async patient(t) {
    const student = await asked(t);
    for (const [c, R, S] of [
      [1, 1, 10],
      [t.random.integer(5, 40), t.random.integer(1, 6), t.random.integer(1, 50)],
    ]) {
      const given = [c, R, S, 2 * c * R * S + 1];
      const saw = await student.call("lost", ...given);
      t.ok(!(saw < 0), `${words(given)} returned a negative number of lost requests`, {
        saw,
        wanted: 0,
      });
      t.equal(
        saw,
        0,
        `${words(given)} reports lost requests, although every client has enough patience`,
      );
    }
  },

  async door(t) {
    const [c, S] = [t.random.integer(20, 60), t.random.integer(3, 30)];
    const part = t.random.integer(Math.ceil(0.6 * S), S - 1);
    // Each request is the only one of its client; T is no multiple of S, so that rounding goes wrong.
    await holds(t, [c, 1, S, S * t.random.integer(5, c - 5) + part + 1 / 128], formula);
    const differ = (given) => {
      const { lost, first } = turns(...given);
      const others = [all(...given), ...formula(...given)].map(([number]) => number);
      return lost > 0 && lost === first && !others.includes(lost);
    };
    for (const given of cases(t, 3, [0.6, 0.97], differ))
      await holds(t, given, (...each) => [all(...each), ...formula(...each)]);
  },

  async again(t) {
    const without = (given) => turns(...given, { comesBack: false }).lost;
    const free = (given) => turns(...given, { pays: false }).lost;
    const differ = (given) => {
      const { lost, first } = turns(...given);
      const numbers = [lost, without(given), free(given), all(...given)[0]];
      return (
        lost > first &&
        new Set(numbers).size === numbers.length &&
        !formula(...given).some(([number]) => number === lost)
      );
    };
    for (const given of cases(t, 4, [0.1, 0.5], differ))
      await holds(t, given, () => [
        [
          without(given),
          "You get that number if clients that have given up do not come back. They do come back, at the end of the line, with their next request",
        ],
        [
          free(given),
          "You get that number if the server knows which clients have given up. The server does not know, so it still works on their requests",
        ],
        all(...given),
      ]);
  },
};
