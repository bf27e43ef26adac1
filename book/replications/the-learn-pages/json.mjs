// An object of two million members as JSON, a search in its text, and back.
let object = { a: 1 };
for (let n = 0; n < 20; n++) object = { obj1: object, obj2: object };
const timed = (what, call) => {
  const began = performance.now();
  const result = call();
  return [result, { step: what, "takes (ms)": Math.round(performance.now() - began) }];
};
const [text, stringify] = timed("JSON.stringify", () => JSON.stringify(object));
const [, indexOf] = timed("indexOf", () => text.indexOf("nomatch"));
const [, parse] = timed("JSON.parse", () => JSON.parse(text));
for (const row of [stringify, indexOf, parse])
  console.log(JSON.stringify({ ...row, "text (MB)": +(text.length / 1e6).toFixed(1) }));
