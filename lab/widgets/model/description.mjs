// description.mjs NAME: writes a model as JSON, for readers without JavaScript: its title, its question, and some moves with their
// texts. If the model needs data, they come on standard input.
import { readFileSync } from "node:fs";
import "./model.js";

const name = process.argv[2];
await import(`./${name}.js`);
const { play, plain } = globalThis.LabModel;
const model = globalThis.LabModels[name];
const data = JSON.parse(readFileSync(0, "utf8") || "null") ?? undefined;

const label = (state, id) => plain(model.moves(state).find((move) => move.id === id).label);
const steps = model.demo.map((id, i) => {
  const before = play(model, model.demo.slice(0, i), {}, data).state;
  const { state, told: results } = play(model, model.demo.slice(0, i + 1), {}, data);
  const { told: text, refused } = results.at(-1);
  const end = model.end?.(state) ?? "";
  return {
    move: label(before, id),
    told: `${refused ? "No. " : ""}${text}${end ? ` ${end}` : ""}`,
  };
});
const { state } = play(model, [], {}, data);
const shown = model.lanes(state).map(({ name: lane, cells = [], text, empty = "nothing" }) => {
  const inside = cells.map((cell) => [cell.text, cell.sub].filter(Boolean).join(" ")).join(", ");
  return { lane, text: text ?? (inside || empty) };
});
const first = model.told?.(state) ?? "";
const { title, ask, code = "" } = model;
process.stdout.write(JSON.stringify({ title, ask, code, first, steps, shown }));
