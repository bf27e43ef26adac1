// The same four lines as a CommonJS file and as an ES module.
import { execFileSync } from "node:child_process";

const lines = `
  console.log("text");
  setImmediate(() => console.log("immediate"));
  Promise.resolve().then(() => {
    console.log("promise");
    process.nextTick(() => console.log("tick of the promise"));
  });
  process.nextTick(() => console.log("tick"));
`;
for (const kind of ["commonjs", "module"]) {
  const printed = execFileSync(process.execPath, [`--input-type=${kind}`, "-e", lines], {
    encoding: "utf8",
  });
  console.log(JSON.stringify({ kind, order: printed.trim().split("\n").join(", ") }));
}
