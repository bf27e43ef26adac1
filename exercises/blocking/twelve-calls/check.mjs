const WORDS = ["pool", "lane", "kernel", "none"];
// What this machine is asked first; what it answers counts.
const USUAL = {
  "fs.stat": "pool",
  "fs.statSync": "none",
  "fs.watch": "kernel",
  "fs.promises.readFile": "pool",
  "dns.lookup": "lane",
  "dns.resolve4": "kernel",
  "http.get by name": "lane",
  "http.get by address": "kernel",
  "crypto.pbkdf2": "pool",
  "crypto.randomBytes": "none",
  "zlib.gzip": "pool",
  "child_process.spawn": "kernel",
};
const CALLS = Object.keys(USUAL);

/** Which calls were answered while the gate was shut: at once, and later. */
async function behind(t, { reads = 0, lookups = 0 }, usually) {
  const process = await t.module({ load: false });
  const pipes = Array.from({ length: reads }, (_, i) => t.fifo(process, `pipe${i}`));
  const names = lookups ? t.fifo(process, "names") : undefined;
  const answered = () => new Set(process.events.map(({ name }) => name));
  const atOnce = await process.scene("gate", {
    pipes: pipes.map(({ inside }) => inside),
    names: names?.inside,
    lookups,
  });
  // What usually goes on has come: what has not, waits.
  await t.until(() =>
    CALLS.every((call) => !usually.includes(USUAL[call]) || answered().has(call)),
  );
  const shut = answered();
  await Promise.all(pipes.map((pipe) => pipe.open()));
  if (!lookups && !(await t.until(() => CALLS.every((call) => answered().has(call)))))
    t.noisy(
      `${CALLS.filter((call) => !answered().has(call)).join(", ")} never got a result, even after the reads had stopped hanging`,
    );
  await process.stop();
  return { atOnce, shut };
}

const key = (t) =>
  t.once("key", async () => {
    const reads = await behind(t, { reads: 4 }, ["kernel", "none"]);
    const names = await behind(t, { lookups: 20 }, ["pool", "kernel", "none"]);
    const holds = !names.shut.has("look-up"); // other C libraries than glibc do not let names be held
    const seen = {};
    for (const call of CALLS) {
      const lane = holds ? !names.shut.has(call) : USUAL[call] === "lane";
      const word = reads.atOnce.includes(call)
        ? "none"
        : reads.shut.has(call)
          ? "kernel"
          : lane
            ? "lane"
            : "pool";
      const told =
        word === "none"
          ? "its result was available when the call returned"
          : `it was answered later. While four reads hung, the call ${word === "kernel" ? "completed" : "waited"}, and while twenty look-ups hung, it ${lane ? "waited" : "completed"}`;
      seen[call] = { word, told };
    }
    return seen;
  });

const table = (t) =>
  t.once("table", async () => {
    const student = await t.module();
    const where = await student.scene("table");
    await student.stop();
    if (where === null || typeof where !== "object" || Array.isArray(where))
      t.miss("your file exports no object `where`: write `export const where = {…}`", {
        saw: Object.keys(student.exports),
      });
    for (const call of CALLS) {
      if (!Object.hasOwn(where, call))
        t.miss(`\`where\` has no entry for \`${call}\``, { saw: Object.keys(where) });
      if (!WORDS.includes(where[call]))
        t.miss(`\`where["${call}"]\` is not one of the four words`, {
          saw: where[call],
          wanted: WORDS.join(", "),
        });
    }
    return where;
  });

async function holds(t, word) {
  const where = await table(t);
  const seen = await key(t);
  for (const call of CALLS)
    if ((where[call] === word) !== (seen[call].word === word))
      t.miss(
        `\`where\` says “${where[call]}” for \`${call}\`, but on this machine ${seen[call].told}`,
      );
}

export default Object.fromEntries(WORDS.map((word) => [word, (t) => holds(t, word)]));
