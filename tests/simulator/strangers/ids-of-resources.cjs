const { createHook, executionAsyncId, triggerAsyncId } = require("async_hooks");
const seen = [];
const ids = () => `${executionAsyncId()} for ${triggerAsyncId()}`;
seen.push(ids());
createHook({
  init: (id, type, trigger) =>
    seen.push(`init ${type} ${id} for ${trigger} in ${executionAsyncId()}`),
  before: (id) => seen.push(`before ${id}`),
  after: (id) => seen.push(`after ${id}`),
  destroy: (id) => seen.push(`destroy ${id}`),
  promiseResolve: (id) => seen.push(`resolve ${id}`),
}).enable();
Promise.resolve(1)
  .then(() => seen.push(`then ${ids()}`))
  .then(() => process.nextTick(() => seen.push(`tick ${ids()}`)));
setImmediate(() => {
  seen.push(`immediate ${ids()}`);
  setTimeout(() => console.log(seen.join("\n")), 20);
});
