// Why each line of a trace was printed: it reads a trace from a file, and prints the rows of each Node as JSON. The
// sentences are those that the replay shows (replay-model.js), so this is JavaScript.
import { readFileSync } from "node:fs";
import "./replay-model.js";

const { indexRecording, describe } = globalThis.LoopReplay.model;

/** One row a line: what was printed, in which phase and turn, by which line, and why it came then. */
function rowsOf(recording, pool) {
  const model = indexRecording(recording, pool);
  const stepAt = new Map(model.steps.map((step, i) => [step.at, i]));
  const row = ({ at, text, error, line, task }) => {
    const run = model.stacks[at]?.run ?? null;
    const { phase, iteration } = model.steps[stepAt.get(run ?? at)];
    const why = run === null ? "A listener of the process runs." : reason(model, stepAt, run, task);
    return { text, error, line, phase, turn: iteration, run, why };
  };
  return model.printed.map(row);
}

/** How the callback came to wait, and how it came to run. */
function reason(model, stepAt, run, task) {
  const step = stepAt.get(run);
  const ran = withoutPlace(describe(model, step));
  const begins = ({ event }) =>
    event.task === task && (event.what === "new" || event.what === "ready");
  const began = model.steps.slice(0, step).findLastIndex(begins);
  return began < 0 ? ran : `${describe(model, began)} ${ran}`;
}

/** Phase and turn have columns of their own. */
function withoutPlace(sentence) {
  return sentence
    .replace(/^[A-Z][a-z0-9 ]*, iteration \d+\. /, "")
    .replace(/ Still [a-z0-9 ]+, iteration \d+\.$/i, "");
}

const { versions, pool } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const ofVersion = ({ recordings: [recording] }) => (recording ? rowsOf(recording, pool) : []);
process.stdout.write(JSON.stringify(versions.map(ofVersion)));
