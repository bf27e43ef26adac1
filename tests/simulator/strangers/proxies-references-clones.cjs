const { types, inspect } = require("util");
const p = new Proxy(
  { a: 1 },
  {
    get: (t, k) => (console.log("get", String(k)), t[k]),
    ownKeys: (t) => (console.log("keys"), Reflect.ownKeys(t)),
  },
);
console.log(p, [p, new Proxy([1, 2], {}), new Proxy(class A {}, {})]);
console.log(
  p.a,
  Object.keys(p),
  types.isProxy(p),
  inspect(p, { showProxy: true }),
  Proxy.name,
  Proxy.length,
);
const { proxy, revoke } = Proxy.revocable({ z: 1 }, {});
console.log(proxy);
revoke();
console.log(proxy);
console.log(
  new WeakRef({ a: 1 }).deref(),
  new WeakRef([]),
  Atomics,
  Math,
  JSON,
  globalThis.isTTY,
  process.stdout.isTTY,
);
new FinalizationRegistry(() => console.log("gone")).register({}, 1);
console.log(
  structuredClone({
    d: new Date(0),
    m: new Map([[1, { a: 1 }]]),
    s: new Set([1]),
    r: /x/gi,
    n: Object(1n),
    b: new Boolean(false),
    t: new String("x"),
  }),
);
console.log(
  structuredClone(new Uint16Array([1, 2, 3]).subarray(1)),
  structuredClone(new DataView(new ArrayBuffer(8), 2)).byteOffset,
  structuredClone(Buffer.from("hi")),
);
console.log(/(?<year>\d{4})-(?<m>\d\d)/.exec("on 2024-05-06"), "abc".match(/b/), [
  ..."a1b2".matchAll(/[a-z](\d)/g),
]);
console.log(
  "2020-01".replace(/(?<a>\d+)-(?<b>\d+)/, "$<b>/$<a>"),
  /a/.test("cat"),
  /x/.exec("y"),
  "a,b".split(/,/),
);
