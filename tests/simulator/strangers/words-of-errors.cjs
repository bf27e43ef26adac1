const failing = [
  () => {
    let o = {};
    o.f();
  },
  () => {
    let u;
    u();
  },
  () => {
    let o = { a: {} },
      k = "z";
    o.a.b(1);
  },
  () => {
    let o = {},
      k = "z";
    o[k]();
  },
  () =>
    new (class A {
      m() {
        this.q();
      }
    })().m(),
  () => {
    let x = 5;
    new x();
  },
  () => {
    let o = {};
    new o.K();
  },
  () => {
    let o = {};
    o.foo().bar();
  },
  () => console.foo(),
  () => Promise.resolve().foo(),
  () => [1].map((n) => n.push(2)),
  () => {
    const fixed = 1;
    fixed = 2;
  },
  () => {
    class A {}
    class B extends A {
      constructor() {
        this.y = 1;
      }
    }
    new B();
  },
  () => {
    class A {
      #p;
      static t(o) {
        return o.#p;
      }
    }
    A.t({});
  },
  () => `${Symbol("s")}`,
  () => Symbol() + 1,
  () => 1n + 1,
  () => 1n / 0n,
  () => JSON.stringify(1n),
  () => new Array(-1),
  () => decodeURIComponent("%"),
  () => [].reduce((a, b) => a),
  () => new Date(NaN).toISOString(),
  () => "x".normalize("q"),
  () => new WeakMap().set(1, 1),
  () => structuredClone(),
  () => atob("*"),
  () => atob("a"),
];
for (const fail of failing)
  try {
    console.log(fail());
  } catch (error) {
    console.log(`${error}`);
  }
Promise.any([Promise.reject(1), Promise.reject(2)]).catch((e) => console.log(e.message, e.errors));
(async () => {
  const api = {};
  await api.get("/");
})().catch((error) => console.log(error.message));
