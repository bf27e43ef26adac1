// A server is played, turn by turn; what is right is counted while it is played, and not from the recording.
function play(t, { requests, answers = true }) {
  const steps = ["open", "stat", "read", "close"];
  const events = [];
  const waiting = []; // {request, at: the turn of its next callback, left: callbacks}
  let turn = t.random.integer(5, 900);
  const truth = { lived: [], callbacks: [], arrivals: [], most: 0, mostAnswered: 0, mostInOne: 0 };
  let next = 1;
  let ran = 0;
  while (next <= requests || waiting.some(({ left }) => left > 0)) {
    turn += t.random.integer(1, 3); // there are turns in which nothing ran for a request
    const inTurn = new Set();
    const log = (request, callback) => {
      events.push({ turn, request, callback });
      inTurn.add(request);
    };
    const due = waiting.filter(({ at, left }) => left > 0 && at <= turn);
    for (const one of t.random.shuffle(due)) {
      one.left--;
      one.ran++;
      if (one.left > 0) {
        log(one.request, steps[one.ran % 4]);
        one.at = turn + t.random.pick([0, 1, 2, 9]);
      } else if (!one.leaves) {
        log(one.request, "answered");
        truth.lived.push(turn - one.arrived);
        truth.callbacks.push(one.ran);
        waiting.splice(waiting.indexOf(one), 1);
      }
    }
    const come = next > requests ? 0 : t.random.pick([0, 0, 1, 2, 5]);
    const before = waiting.length;
    for (let i = 0; i < come && next <= requests; i++) {
      const left = t.random.integer(1, 6);
      const leaves = !answers || next % 5 === 0;
      waiting.push({ request: next, arrived: turn, at: turn + 1, left, ran: 0, leaves });
      log(next++, "arrives");
    }
    if (waiting.length > before) truth.arrivals.push(waiting.length - before);
    truth.most = Math.max(truth.most, waiting.length);
    truth.mostAnswered = Math.max(
      truth.mostAnswered,
      waiting.filter(({ leaves }) => !leaves).length,
    );
    truth.mostInOne = Math.max(truth.mostInOne, inTurn.size);
    if (inTurn.size > 0) ran++;
  }
  const range = events.at(-1).turn - events[0].turn + 1;
  return { events, truth: { ...truth, requests, ran, range } };
}

const sorted = (list) => [...list].sort((a, b) => a - b);
const median = (list) => sorted(list)[Math.ceil(list.length / 2) - 1];
const mean = (list) => list.reduce((sum, x) => sum + x, 0) / list.length;
const near = (a, b) => typeof a === "number" && Math.abs(a - b) <= 1e-9;

const judged = (t) =>
  t.once("judged", async () => {
    const student = await t.module();
    student.needs("lives");
    const all = [];
    for (let i = 0; i < 8; i++) {
      // Two mistakes that give one number would be told as one another.
      let { events, truth } = play(t, { requests: t.random.integer(40, 80) });
      while (truth.mostAnswered === truth.mostInOne)
        ({ events, truth } = play(t, { requests: t.random.integer(40, 80) }));
      all.push({ truth, said: await student.object("lives", events) });
    }
    return { student, all };
  });

async function hold(t, figure, right, mistakes) {
  for (const { truth, said } of (await judged(t)).all) {
    const wanted = right(truth);
    const saw = said[figure];
    if (near(saw, wanted)) continue;
    const known = mistakes(truth).find(([value]) => near(saw, value));
    t.miss(
      `for a recording of ${truth.requests} requests, \`${figure}\` is wrong${known ? `. Your value ${known[1]}` : ""}`,
      { saw, wanted },
    );
  }
}

export default {
  usual: (t) =>
    hold(
      t,
      "usual",
      ({ lived }) => median(lived),
      ({ lived, callbacks }) => [
        [mean(lived), "is the mean, which a few long lives raise, but `usual` is the median"],
        [
          median(lived) + 1,
          "is one turn too many, because a request that is answered in the turn of its arrival has a life of 0",
        ],
        [
          median(callbacks),
          "counts callbacks, but a request can have several callbacks in one turn, or none for many turns",
        ],
      ],
    ),

  batch: (t) =>
    hold(
      t,
      "perTurn",
      ({ arrivals }) => mean(arrivals),
      ({ requests, ran, range }) => [
        [requests / ran, "is an average that also counts turns in which no request arrived"],
        [
          requests / range,
          "is an average over all turns from the first to the last, including turns without an arrival",
        ],
      ],
    ),

  company: (t) =>
    hold(
      t,
      "most",
      ({ most }) => most,
      ({ mostAnswered, mostInOne, requests }) => [
        [requests, "is the number of all requests, but most of them had ended when others arrived"],
        [
          mostAnswered,
          "leaves out requests that were never answered, but these stay alive to the end of the recording",
        ],
        [
          mostInOne,
          "is the number of requests for which one turn ran a callback, but a request that waits between two callbacks is also alive",
        ],
      ],
    ),

  async ends(t) {
    const { student } = await judged(t);
    t.equal(
      { ...(await student.call("lives", [])) },
      { usual: null, perTurn: null, most: 0 },
      "the result for an empty recording is wrong",
    );
    const { events, truth } = play(t, { requests: 12, answers: false });
    t.equal(
      { ...(await student.call("lives", events)) },
      { usual: null, perTurn: mean(truth.arrivals), most: 12 },
      "the result for a recording in which no request was answered is wrong",
    );
  },
};
