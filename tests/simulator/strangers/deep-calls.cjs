// Calls that are some thousand deep and end, calls that never end, and what is nested as deeply.
const sum = (n) => (n === 0 ? 0 : n + sum(n - 1));
console.log(sum(5000));
const isEven = (n) => (n === 0 ? true : isOdd(n - 1));
const isOdd = (n) => (n === 0 ? false : isEven(n - 1));
console.log(isEven(3000));
let tree = null;
for (let level = 0; level < 1500; level++) tree = { left: tree, right: null };
const height = (node) => (node ? 1 + Math.max(height(node.left), height(node.right)) : 0);
console.log(height(tree));
const parse = (tokens) => {
  const list = [];
  for (let token = tokens.shift(); token !== undefined && token !== ")"; token = tokens.shift())
    list.push(token === "(" ? parse(tokens) : token);
  return list;
};
const brackets = "(".repeat(900) + "x" + ")".repeat(900);
console.log(parse([...brackets]).flat(Infinity));
const text = "[".repeat(5000) + "]".repeat(5000);
let depth = 0;
for (let list = JSON.parse(text); list.length; list = list[0]) depth++;
console.log(depth);
let chain = { value: 0 };
for (let value = 1; value < 900; value++) chain = { value, next: chain };
console.log(JSON.stringify(chain).length);
let copied = 0;
for (let link = structuredClone(chain); link; link = link.next) copied++;
console.log(copied);
const circle = { a: { b: {} } };
circle.a.b.a = circle.a;
console.log(structuredClone(circle));

const attempt = (action) => {
  try {
    action();
    console.log("ends");
  } catch (error) {
    console.log(error instanceof RangeError, `${error}`);
  }
};
attempt(function endless() {
  endless();
});
const factorial = (n) => n * factorial(n - 1);
attempt(() => factorial(5));
const both = {
  set name(value) {
    this.name = value;
  },
  get own() {
    return this.own;
  },
};
attempt(() => (both.name = 1));
attempt(() => both.own);
const visit = (node) => (node.next ? visit(node.next) : node);
const ring = {};
ring.next = { next: ring };
attempt(() => visit(ring));
Promise.resolve(1)
  .then(function again(n) {
    return again(n + 1);
  })
  .catch((error) => console.log("caught", error.message));
