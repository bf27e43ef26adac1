const ac = new AbortController();
const { signal } = ac;
signal.onabort = () => console.log("on", signal.reason.name);
setTimeout(() => ac.abort(), 5);
require("timers/promises")
  .setTimeout(100, 0, { signal })
  .catch((e) => console.log(e.name, e.code));
