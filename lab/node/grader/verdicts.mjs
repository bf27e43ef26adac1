// What becomes of each criterion of an exercise: how a check that throws is taken, in which words, and what was printed.
import { setTimeout as sleep } from "node:timers/promises";
import { Broken, BUSY, Missed, Noisy, Void } from "./conversation.mjs";
import { Thrown } from "./values.mjs";

const SURE_MS = 2000; // what is decided sooner was not decided by a limit of seconds

// What a criterion that ends with such an error has come to; with any other the check itself is broken.
const OUTCOMES = [
  [Void, "void"],
  [Missed, "missed"],
  [Thrown, "missed"],
  [Noisy, "noisy"],
];

const MOST_OF_URL = 40; // characters of a data: URL that are shown
/** A text without the contents of data: URLs: a check may load a module of its own from one, and a stack repeats it in each line. */
const withoutData = (text) =>
  text.replace(/\bdata:(\w+\/[\w+.;=-]+),\S+/g, (url, type) => {
    if (url.length <= MOST_OF_URL) return url;
    const [place] = /(?::\d+){0,2}[)\]'",;]*$/.exec(url);
    return `data:${type},…${place}`;
  });

/** What became of one criterion: held, missed, void, noisy, left (one that it needs was missed), broken (our own fault). */
async function look(t, check, { id, needs = [] }, before) {
  const lacking = needs.find((each) => before[each] !== "held");
  if (lacking) return { outcome: "left", message: lacking };
  const output = {};
  const began = performance.now();
  try {
    await check[id](t);
    return { outcome: "held" };
  } catch (error) {
    // Whoever fills the disk of the check, or moves what the check puts into its folder, has not broken the check.
    const spoilt =
      typeof error?.path === "string" && `${error.path}/`.startsWith(`${t.job.scratch}/`);
    const full = error?.code === "ENOSPC";
    const away = /^\/proc\/\d+\//.test(error?.path) && ["ENOENT", "ESRCH"].includes(error.code);
    const outcome =
      OUTCOMES.find(([kind]) => error instanceof kind)?.[1] ??
      (spoilt || full || away ? "missed" : "broken");
    const message = full
      ? "your program has filled the disk on which it is checked"
      : away
        ? "your program had already ended when the check examined it"
        : spoilt && outcome === "missed"
          ? `a file that the check needs in the folder of your program was replaced or removed (${error.code})`
          : error instanceof Thrown
            ? `your code threw ${error.none ? "" : `${error.name}: `}${error.message}${error.where ?? ""}`
            : outcome === "broken"
              ? "the check itself failed"
              : error.message;
    const took = performance.now() - began;
    if (
      outcome === "missed" &&
      !error.sure &&
      took > SURE_MS &&
      [...t.job.started].some((one) => one.starved(took))
    )
      return { outcome: "noisy", message: BUSY };
    // Its authors want to know where; who handed in shall not read the check.
    if (outcome === "missed") Object.assign(output, await printedBy(t.job));
    const fault = outcome === "broken" ? String(error?.stack ?? error) : undefined;
    const odd =
      outcome === "broken" && (error instanceof Broken || error?.name === "TypeError")
        ? error.message
        : undefined;
    const shown = { message, ...output, ...error?.seen };
    for (const [name, text] of Object.entries(shown))
      if (typeof text === "string") shown[name] = withoutData(text);
    return { outcome, fault, odd, ...shown };
  }
}

// What the hand-in has printed since the last criterion: of the process that said something last. Who looks for a mistake prints.
async function printedBy({ started, handIn }) {
  await sleep(20); // it may be on its way still
  const own = [...started].filter(({ program }) => program === handIn);
  return own.map((each) => each.news()).findLast((each) => each.stdout || each.stderr) ?? {};
}

/**
 * A TypeError of a check, or any error of a scene, is what comes of a value of another kind than it reckons with; and a hand-in can
 * write a stack in which its own error looks like a scene's. Where the reference comes through the same cases, the hand-in's value
 * was odd, and that is a wrong answer; where it does not, the check is at fault.
 */
async function decided({ odd, ...result }, { id }, { job, check, bench }) {
  if (odd === undefined) return result;
  if (job.reference !== undefined) {
    const control = bench({ ...job, handIn: job.reference });
    const outcomes = {};
    for (const criterion of job.criteria) {
      outcomes[criterion.id] = (await look(control, check, criterion, outcomes)).outcome;
      if (criterion.id === id) break;
    }
    if (outcomes[id] !== "held") return result;
  }
  const message = `a value that your code returns or throws is not of the type that the task asks for: ${odd}`;
  return { ...result, outcome: "missed", message };
}

/**
 * Decides each criterion of `job` in turn with the functions of `check`, on what `bench(job)` makes; `say` hears of each. A check
 * of the same kind is asked about the reference, `job.reference`, where it is not clear whose fault an error is; a page has none, and its checks are tested.
 */
export async function decide(job, check, bench, say) {
  const t = bench(job);
  const before = {};
  let voidResult;
  for (const criterion of job.criteria) {
    const result =
      voidResult ??
      (await decided(await look(t, check, criterion, before), criterion, { job, check, bench }));
    if (result.outcome === "void") voidResult = result;
    before[criterion.id] = result.outcome;
    say({ criterion: criterion.id, ...result });
  }
  return t;
}
