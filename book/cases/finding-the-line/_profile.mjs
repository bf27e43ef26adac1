// What this chapter asks a CPU profile of V8. A look counts for the time since the look before.
import { readFileSync } from "node:fs";

/** The looks of a profile in the order of time: of how many milliseconds each, and its stack, the innermost function first. */
export const looksOf = ({ nodes, samples, timeDeltas }) => {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((c) => [c, id])));
  const stackOf = (id) => (id === undefined ? [] : [byId.get(id), ...stackOf(parents.get(id))]);
  const stacks = new Map(
    nodes.map(({ id }) => [id, stackOf(id).map(({ callFrame }) => callFrame)]),
  );
  return samples.map((id, i) => ({ ms: timeDeltas[i] / 1000, stack: stacks.get(id) }));
};

/** Those of the last so many milliseconds. */
export const lastOf = (looks, ms) => {
  let first = looks.length;
  for (let left = ms; left > 0 && first > 0; left -= looks[first].ms) first -= 1;
  return looks.slice(first);
};

/** Is a function one of the program, and not of Node, of V8, or of what measures? */
export const isOwn = ({ url }) => url.startsWith("file:") && !url.includes("/lab/node/");
export const nameOf = ({ functionName }) => functionName || "(anonymous)";

/** Who was at work: the innermost function of the program, or else what V8 and Node call it themselves. */
const workerOf = (stack) => nameOf(stack.find(isOwn) ?? stack[0]);

/** Of each function of the program: its own time, the whole time with all that it called, and the longest time in a row. */
export const functionsOf = (looks) => {
  const found = new Map();
  const of = (name) => found.get(name) ?? found.set(name, { own: 0, whole: 0, row: 0 }).get(name);
  let [last, row] = ["", 0];
  for (const { ms, stack } of looks) {
    for (const name of new Set(stack.filter(isOwn).map(nameOf))) of(name).whole += ms;
    const worker = workerOf(stack);
    [last, row] = [worker, worker === last ? row + ms : ms];
    if (!stack.some(isOwn)) continue;
    of(worker).row = Math.max(of(worker).row, row);
    if (isOwn(stack[0])) of(worker).own += ms;
  }
  return found;
};

/** The line of a function on which most looks found it, with its text. */
export const lineOf = ({ nodes }, name) => {
  const ticks = new Map();
  const own = nodes.filter(({ callFrame }) => isOwn(callFrame) && nameOf(callFrame) === name);
  for (const { positionTicks = [] } of own)
    for (const { line, ticks: n } of positionTicks) ticks.set(line, (ticks.get(line) ?? 0) + n);
  const [[line] = [own[0].callFrame.lineNumber + 1]] = [...ticks].sort((a, b) => b[1] - a[1]);
  const text = readFileSync(new URL(own[0].callFrame.url), "utf8").split("\n")[line - 1];
  return { line, text: text.trim() };
};

/** Stretches without a look at `(idle)`: when each began, how long it was, who had the most time in it, and what share. */
export const stretchesOf = (looks) => {
  const found = [];
  let [now, times] = [0, new Map()];
  const end = () => {
    const ms = [...times.values()].reduce((sum, one) => sum + one, 0);
    const [[who, most] = []] = [...times].sort((a, b) => b[1] - a[1]);
    if (ms > 0) found.push({ at: now - ms, ms, who, share: most / ms });
    times = new Map();
  };
  for (const { ms, stack } of looks) {
    const worker = workerOf(stack);
    if (worker === "(idle)") end();
    else times.set(worker, (times.get(worker) ?? 0) + ms);
    now += ms;
  }
  end();
  return found;
};
