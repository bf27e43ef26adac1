async function* count() {
  for (let i = 0; i < 3; i++) {
    console.log("making", i);
    yield i;
  }
}
Promise.resolve()
  .then(() => console.log("m1"))
  .then(() => console.log("m2"))
  .then(() => console.log("m3"));
process.nextTick(() => console.log("tick"));
for await (const i of count()) console.log("got", i);
for await (const i of [Promise.resolve("a"), "b"]) console.log(i);
