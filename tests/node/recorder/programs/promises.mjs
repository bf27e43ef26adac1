import fs from "node:fs/promises";

for await (const e of await fs.opendir("/")) {
  if (e.name === "etc") console.log("etc");
}
await Promise.all(
  [1, 2].map(async (x) => {
    await fs.stat("/");
    console.log(x);
  }),
);
const { x } = await import("data:text/javascript,export const x=1");
console.log(x);
await WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]));
console.log("wasm");
