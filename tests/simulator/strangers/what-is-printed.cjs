console.log({ a: 1, b: { c: { d: {} } } }, [1, , 3], "text", 1n, Symbol("s"), null, undefined);
console.log(new Map([["k", { v: 1 }]]), new Set([1, "2"]), new Date(0), /x/g, () => {}, class A {});
console.log("%s is %d and %j, %o", "x", 42.5, { a: 1 }, [1]);
console.log(Promise.resolve(1), Promise.reject(2).catch(() => {}) && 1, new Promise(() => {}));
console.log([new Error("in a list").message], [[[[]]]], "a".repeat(5), -0, [undefined, null]);
console.log(process.argv.length, typeof process.pid, typeof require, module.children);
