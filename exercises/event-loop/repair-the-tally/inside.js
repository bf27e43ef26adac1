// Played in the process of the hand-in, because answers that come in one callback must come in one: from outside they may be
// split. `weigh` keeps every question until the scene answers.
const { setImmediate } = own;
const turn = () => new Promise((resolve) => setImmediate(resolve));

// Votes for all ballots, then answers in the order of `answers`, in groups: those of one group in the same callback. A ballot
// is asked again if the hand-in does, up to `most` questions in all. What became of each vote, and of the sums.
exports.votes = async function votes(student, { ballots, answers, names, most }) {
  const questions = [];
  let asked = 0;
  let open = 0;
  let together = 0;
  const weigh = (ballot) => {
    asked++;
    open++;
    together = Math.max(together, open);
    return new Promise((resolve, reject) => questions.push({ ballot, resolve, reject }));
  };
  const answer = ({ ballot, resolve, reject }) => {
    open--;
    const { name, weight, fails } = ballots[ballot];
    if (fails) reject(Object.assign(new Error(fails), { code: "EBALLOT" }));
    else resolve({ name, weight });
  };
  const { vote, sum } = student.tally(weigh) ?? {};
  if (typeof vote !== "function" || typeof sum !== "function")
    return { kinds: { vote: typeof vote, sum: typeof sum } };
  const outcomes = ballots.map(() => null);
  const settled = Promise.all(
    ballots.map((_, i) =>
      Promise.resolve(vote(i)).then(
        (value) => {
          outcomes[i] = { value };
        },
        (error) => {
          outcomes[i] = { error: error?.message, code: error?.code };
        },
      ),
    ),
  );
  for (let i = 0; i < 5; i++) await turn();
  const atFirst = open;
  for (const group of answers) {
    for (const ballot of group) {
      const at = questions.findIndex((each) => each.ballot === ballot);
      if (at >= 0) answer(questions.splice(at, 1)[0]);
    }
    await turn();
    await turn();
  }
  // Who waited for others, or asks again, gets the rest one by one.
  let over = false;
  settled.then(() => {
    over = true;
  });
  for (let idle = 0; !over && idle < 20 && asked < most; idle++) {
    while (questions.length > 0) {
      answer(questions.shift());
      idle = 0;
      await turn();
    }
    await turn();
  }
  return { outcomes, asked, atFirst, together, sums: names.map((name) => sum(name)) };
};
