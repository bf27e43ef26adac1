let hops = 0;
const hop = () => {
  if (hops++ < 60) Promise.resolve().then(hop);
};
globalThis.hops = () => hops;
hop();
import("./told.mjs").then(async ({ at }) => {
  console.log("imported", at, hops);
  await import("./told.mjs");
  console.log("again", hops);
  const { default: second } = await import("./second.cjs");
  console.log("commonjs", hops, second.seen);
});
