import levels from "./levels.json" with { type: "json" };

let hops = 0;
globalThis.hops = () => hops;
const hop = () => {
  if (hops++ < 60) Promise.resolve().then(hop);
};
const counted = async (body) => {
  await null;
  hops = 0;
  hop();
  try {
    console.log("done", Object.keys(await body()).join(), hops);
  } catch ({ message }) {
    console.log("failed", message, hops);
  }
  while (hops < 60) await null;
};
console.log(Object.keys(levels).length);
setImmediate(() => console.log("immediate"));
await counted(() => import("./graph/two.mjs"));
await counted(() => import("./graph/two.mjs"));
await counted(() => Promise.all([import("./graph/round.mjs"), import("./graph/round.mjs")]));
await counted(() => import("./graph/behind-a-wait.mjs"));
await counted(() => import("./graph/behind-a-throw.mjs"));
await counted(() => import("./graph/behind-a-throw.mjs"));
await counted(() => import("./graph/throws-late.mjs"));
await counted(() => import("./levels.json", { with: { type: "json" } }));
await counted(() => import("./graph/data.cjs"));
const { default: again } = await import("./levels.json", { with: { type: "json" } });
console.log(again === levels);
