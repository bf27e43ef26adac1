// What there is on each Node, asked by `typeof` alone, of global names and of the language; and what an object without it does.
const NAMES =
  "fetch WebSocket EventSource FormData Blob File URLPattern BroadcastChannel Worker CompressionStream Crypto " +
  "CryptoKey navigator Navigator PerformanceObserver WebAssembly Intl DisposableStack SuppressedError CloseEvent " +
  "ErrorEvent QuotaExceededError Storage sessionStorage Temporal CustomEvent Float16Array window document";
for (const name of NAMES.split(" ")) console.log(name, typeof globalThis[name]);
console.log(typeof navigator, typeof WebSocket, typeof fetch, typeof EventSource, typeof window);
const OWNERS = { Promise, RegExp, Error, Map: Map.prototype, Math, Iterator, Uint8Array, JSON };
const FUNCTIONS =
  "Promise.try RegExp.escape Error.isError Map.getOrInsert Math.sumPrecise Math.f16round Iterator.concat Iterator.zip " +
  "Uint8Array.fromHex Uint8Array.fromBase64 JSON.rawJSON";
for (const name of FUNCTIONS.split(" ")) {
  const [owner, key] = name.split(".");
  console.log(name, typeof OWNERS[owner][key]);
}
const { performance, PerformanceObserver, monitorEventLoopDelay } = require("node:perf_hooks");
console.log(typeof performance, typeof PerformanceObserver, typeof monitorEventLoopDelay);
const ask = globalThis.fetch ?? (() => "none");
console.log(ask === globalThis.fetch, "fetch" in globalThis, [1].includes(globalThis.WebSocket));
globalThis.fetch = () => "ours";
console.log(fetch());
{
  const navigator = "a name of the program's own";
  console.log(typeof navigator);
}
try {
  new Worker("worker.js");
} catch ({ name, message }) {
  console.log(name, message);
}
try {
  Promise.try(() => console.log("tried"));
} catch ({ name, message }) {
  console.log(name, message);
}
const event = new CustomEvent("told", { detail: 7 });
console.log(event instanceof Event, event.type, event.detail);
