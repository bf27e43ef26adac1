// Played in the process of the hand-in. Unix sockets: what is written to one can be read before `write` has returned, so those
// that are written to together are ready in the same poll, and each gets a callback of its own.
const { setImmediate, setTimeout, now } = own;
const net = own.require("node:net");
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const near = [];
const far = [];
async function connect(path, count) {
  if (near.length >= count) return;
  const server = net.createServer((socket) => far.push(socket));
  await new Promise((resolve) => server.listen(path, resolve));
  while (near.length < count) {
    near.push(net.connect(path));
    while (far.length < near.length) await wait(1);
  }
}

// waves: [{keys, fails?}]: the keys of a wave are asked for by as many connections, all ready in one poll. Calls of fetchMany
// are answered at once or, if `late`, when all waves were asked.
// For each call: its keys, in which wave it was made, how many of that wave's connections had asked, and in which turn.
exports.waves = async function play(student, { path, waves, values, late = false }) {
  const most = Math.max(...waves.map(({ keys }) => keys.length));
  await connect(path, most);
  const calls = [];
  let wave = -1;
  let asked = 0;
  let turns = 0; // since the poll of this wave
  const get = student.inBatches((keys) => {
    const number = calls.length;
    calls.push({
      keys: Array.isArray(keys) ? [...keys] : keys,
      wave,
      asked,
      turns,
      open: true,
    });
    const { fails } = waves[wave];
    if (fails === "throws") {
      calls[number].open = false;
      throw new Error(`call in wave ${wave}`);
    }
    return new Promise((resolve, reject) => {
      calls[number].answer = () => {
        calls[number].open = false;
        if (fails) reject(new Error(`call in wave ${calls[number].wave}`));
        else
          resolve(
            new Map(
              keys
                .filter((key) => key in values)
                .map((key) => [key, `${values[key]} of wave ${calls[number].wave}`]),
            ),
          );
      };
      if (!late) calls[number].answer();
    });
  });
  if (typeof get !== "function") return { kind: typeof get };
  const outcomes = waves.map(({ keys }) => keys.map(() => null));
  const settled = (at) => outcomes[at].every((one) => one !== null);
  const settle = (at, i, promise) =>
    Promise.resolve(promise).then(
      (value) => {
        outcomes[at][i] = { value };
      },
      (error) => {
        outcomes[at][i] = { error: error?.message };
      },
    );
  for (const [at, { keys }] of waves.entries()) {
    wave = at;
    asked = 0;
    await new Promise((resolve) => {
      const hear = (i) => {
        if (asked === 0) {
          turns = 0;
          // This immediate is asked for before any of the hand-in's; those of later turns follow it.
          const next = () => {
            turns++;
            if (turns < 3) setImmediate(next);
            else resolve();
          };
          setImmediate(next);
        }
        asked++;
        settle(at, i, get(keys[i]));
      };
      for (const [i, socket] of near.entries()) {
        socket.removeAllListeners("data");
        if (i < keys.length) socket.on("data", () => hear(i));
      }
      for (let i = 0; i < keys.length; i++) far[i].write("x");
    });
    // The next wave comes when this one has got what it can get by now.
    const there = () => (late ? calls.some((call) => call.wave === at) : settled(at));
    for (const end = now() + (late ? 60 : 500); !there() && now() < end; ) await wait(1);
  }
  const before = calls.length;
  for (const end = now() + 1000; !waves.every((_, at) => settled(at)) && now() < end; await wait(1))
    for (const call of calls) if (call.open) call.answer();
  return {
    calls: calls.map(({ keys, wave, asked, turns }) => ({ keys, wave, asked, turns })),
    before,
    outcomes,
  };
};
