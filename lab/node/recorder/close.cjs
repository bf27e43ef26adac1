"use strict";
// Calls `closing(asyncId)` when the close() of a native handle is called: the only sign, from inside Node, that the
// handle's next callback is its close callback. All handles share one prototype, patched at the first handle seen.

module.exports = function watchClose(closing) {
  let patchedPrototype = null;

  function watch(handle) {
    if (patchedPrototype || typeof handle.getAsyncId !== "function") return;
    let owner = handle;
    while (owner && !Object.hasOwn(owner, "close")) owner = Object.getPrototypeOf(owner);
    if (!owner || !Object.hasOwn(owner, "hasRef")) return; // not HandleWrap's prototype
    patchedPrototype = owner;
    const { close } = owner;
    const { getAsyncId } = handle; // a message port is a handle, too, but has this method no more
    owner.close = function (callback) {
      closing(getAsyncId.call(this));
      return close.call(this, callback);
    };
  }

  return { watch };
};
