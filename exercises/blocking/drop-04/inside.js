// Notes every synchronous call of node:fs that is made while requests are served.
const fs = own.require("node:fs");
const called = [];
let serving = false;

exports.prepare = () => {
  for (const name of Object.keys(fs).filter((each) => each.endsWith("Sync"))) {
    const call = fs[name];
    fs[name] = function noted(...given) {
      if (serving) called.push(name);
      return call.apply(this, given);
    };
  }
};
exports.serving = () => {
  serving = true;
};
exports.called = () => called;
