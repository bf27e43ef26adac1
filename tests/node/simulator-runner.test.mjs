// Who runs programs on a page: whose run it is, who hears that it has ended, and what is loaded once for all of a page.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

const loaded = []; // files that the page was asked for
const posted = []; // what the frames were told
let frames = [];
const listeners = [];
const load = async (...files) => {
  for (const file of files) {
    loaded.push(file);
    const name = file.replace(/\.js$/, "");
    globalThis.labModelTexts(name, `texts of ${name}`);
  }
};
globalThis.LabSimulator = { load };
globalThis.addEventListener = (_, listener) => listeners.push(listener);
globalThis.document = {
  createElement: () => ({
    setAttribute() {},
    contentWindow: { postMessage: (message) => posted.push(message) },
  }),
  body: { append: (frame) => frames.push(frame) },
};
const [{ Runner }, { Runner: OfAnotherPanel }] = await Promise.all(
  ["panel", "exercise"].map(
    (name) => import(`../../lab/simulator/page/runner.js?of=${name}`), // each panel's script has its own
  ),
);

const turn = () => new Promise(setImmediate);
const say = (data) => {
  for (const listener of listeners) listener({ source: frames.at(-1).contentWindow, data });
};
const heard = () => {
  const events = [];
  const tell = (event, { sentence } = {}) => events.push(sentence ? [event, sentence] : [event]);
  return { events, tell };
};
const started = async (runner, tell, program = {}) => {
  const run = runner.run(program, 26, tell);
  say({ what: "ready" });
  await run;
  const { id } = posted.findLast((message) => message.program);
  say({ id, what: "begun" });
  return id;
};

let runner;
beforeEach(() => {
  for (const list of [loaded, posted, listeners]) list.length = 0;
  frames = [];
  runner = new Runner("folder/");
});

test("the owner of a run that another ends hears of it, and nothing after it", async () => {
  const [one, other] = [heard(), heard()];
  const id = await started(runner, one.tell);
  const otherId = await started(runner, other.tell);
  say({ id, what: "judged" });
  say({ id: otherId, what: "judged" });
  const sentence = "The program was stopped because another program on this page was started.";
  assert.deepEqual(one.events, [["begun"], ["refused", sentence]]);
  assert.deepEqual(other.events, [["begun"], ["judged"]]);
});

test("who runs a program again is not told that the run before has ended", async () => {
  const { events, tell } = heard();
  await started(runner, tell);
  const id = await started(runner, tell);
  say({ id, what: "judged" });
  assert.deepEqual(events, [["begun"], ["begun"], ["judged"]]);
});

test("a run is ended by its owner alone, who hears no more of it", async () => {
  const [one, other] = [heard(), heard()];
  const id = await started(runner, one.tell);
  runner.stop(other.tell);
  assert.ok(!posted.some(({ what }) => what === "end"));
  runner.stop(one.tell);
  assert.equal(posted.filter(({ what }) => what === "end").length, 1);
  say({ id, what: "judged" });
  runner.stop(one.tell);
  assert.deepEqual(one.events, [["begun"]]);
  assert.equal(posted.filter(({ what }) => what === "end").length, 1);
});

test("a run that is ended while its files are loaded does not begin", async () => {
  const { events, tell } = heard();
  const run = runner.run({}, 26, tell);
  runner.stop(tell);
  say({ what: "ready" });
  await run;
  assert.ok(!posted.some(({ program }) => program));
  assert.deepEqual(events, []);
});

test("texts that one panel has loaded are there for another, and none ends in another's place", async () => {
  await started(runner, heard().tell);
  const other = new OfAnotherPanel("folder/");
  const { tell } = heard();
  await started(other, tell);
  const given = posted.filter(({ program }) => program).map(({ texts }) => texts);
  assert.deepEqual(given, ["texts of node-26", "texts of node-26"]);
  assert.equal(globalThis.LabSimulator.texts.get("node-26"), "texts of node-26");
  runner.stop();
  other.stop(tell);
});

test("after a refusal, also of a machine that was only prepared, the next run brings the texts again", async () => {
  runner.prepare(26);
  say({ what: "ready" });
  await turn();
  assert.equal(posted.at(-1).isToPrepare, true);
  say({ what: "refused", sentence: "The model failed" });
  const { tell } = heard();
  await started(runner, tell);
  assert.equal(posted.at(-1).texts, "texts of node-26");
  runner.stop(tell);
});

test("a model that breaks while nothing runs is no error, and the next run begins", async () => {
  const { events, tell } = heard();
  const id = await started(runner, tell);
  say({ id, what: "orders" });
  assert.doesNotThrow(() => say({ what: "broken", sentence: "it was loading" }));
  assert.deepEqual(events, [["begun"], ["orders"]]);
  await started(runner, tell);
  assert.deepEqual(events.at(-1), ["begun"]);
});
