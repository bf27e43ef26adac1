// Played in the process of the hand-in: a table whose pages are noted, each with the turn of the loop in which it was asked for.
const { setImmediate } = own;
const Giver = AbortController;
const Failure = Error;
const { freeze } = Object;
let turns = 0;

exports.scan = async function scan(student, { ids, abortAt, throwAt, reason }) {
  const pages = [];
  const seen = [];
  let over = false;
  let before = 0; // pages that were asked for until it was stopped
  const beat = () => {
    turns++;
    if (!over) setImmediate(beat);
  };
  setImmediate(beat);
  const giveUp = new Giver();
  const page = (after, limit) => {
    const from = ids.findIndex((id) => id > after);
    const part = from < 0 ? [] : ids.slice(from, from + Math.max(0, limit || 0));
    pages.push({ limit: limit === Infinity ? null : limit, count: part.length, turns });
    return part.map((id) => ({ id, title: `book ${id}` }));
  };
  const each = (row) => {
    seen.push(row?.id);
    if (seen.length === (abortAt ?? throwAt)) before = pages.length;
    if (seen.length === abortAt) giveUp.abort(reason);
    if (seen.length === throwAt) throw new Failure(reason);
  };
  if (abortAt === 0) giveUp.abort(reason);
  let settled = false;
  let value = null;
  let error = null;
  const done = () => {
    settled = true;
  };
  try {
    const promise = student.scan(page, each, freeze({ signal: giveUp.signal }));
    Promise.resolve(promise).then(
      (result) => {
        value = result ?? null;
        done();
      },
      (cause) => {
        error = typeof cause === "string" ? cause : String(cause?.message);
        done();
      },
    );
  } catch (cause) {
    error = `it threw at once: ${cause?.message}`;
    settled = true;
  }
  for (let waits = 0; !settled && waits < 3000; waits++)
    await new Promise((resolve) => own.setTimeout(resolve, 1));
  over = true;
  return { pages, more: pages.length - before, ids: seen, settled, value, error };
};
