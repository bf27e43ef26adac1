// What the programs of this folder share: a model, and the ways through it. Each runs the same moves in Node and compares.

import "../../lab/widgets/model/model.js";

export async function modelOf(name) {
  await import(`../../lab/widgets/model/${name}.js`);
  return globalThis.LabModels[name];
}

const { step, settings } = globalThis.LabModel;

/** Every way of up to `length` moves that the model allows, and the moves that it refuses at the end of each. */
export function* ways(model, length, chosen = {}, only = () => true) {
  const begun = [{ state: model.start(settings(model, chosen)), moves: [] }];
  for (let made = begun.pop(); made; made = begun.pop()) {
    const refused = [];
    for (const { id } of model.moves(made.state)) {
      if (!only(id)) continue;
      const next = step(model, made.state, id);
      if (next.refused) refused.push(id);
      else if (made.moves.length < length)
        begun.push({ state: next.state, moves: [...made.moves, id] });
    }
    yield { ...made, refused };
  }
}

/** Wait until something is so; what must not be is looked at when what must be is there. */
export async function until(done, what) {
  const end = performance.now() + 20_000;
  while (!done()) {
    if (performance.now() > end) throw new Error(`waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

export const say = (cases) => console.log(JSON.stringify({ node: process.version, cases }));
