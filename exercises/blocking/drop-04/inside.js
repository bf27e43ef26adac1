// Notes every synchronous call of node:fs that is made while requests are served. Built-in objects are not locked here, so what is
// noted lies in an object that has no prototype, and nothing is called that a program can replace.
const fs = own.require("node:fs");
const { apply } = Reflect;
const called = Object.create(null);
let serving = false;

exports.prepare = () => {
  for (const name of Object.keys(fs).filter((each) => each.endsWith("Sync"))) {
    const call = fs[name];
    fs[name] = function noted(...given) {
      if (serving) called[name] = true;
      return apply(call, this, given);
    };
  }
};
exports.serving = () => {
  serving = true;
};
exports.called = () => {
  let names = "";
  for (const name in called) names += `${name} `;
  return names;
};
