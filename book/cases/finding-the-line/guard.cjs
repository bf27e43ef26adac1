// A guard on the loop wants to catch whoever holds it.
function basket() {
  console.log("the basket begins");
  for (const end = performance.now() + 80; performance.now() < end; );
  console.log("the basket is done");
}

setTimeout(() => {
  const caught = new Error().stack.includes("basket");
  console.log(caught ? "the guard: it was the basket" : "the guard: nobody is here");
}, 40);
setImmediate(() => {
  Promise.resolve().then(() => console.log("a microtask"));
  basket();
});
