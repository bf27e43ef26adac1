async function plain() {
  return 1;
}
async function promised() {
  return Promise.resolve(2);
}
async function awaited() {
  return await Promise.resolve(3);
}
promised().then(console.log);
awaited().then(console.log);
plain().then(console.log);
let chain = Promise.resolve();
for (let n = 10; n < 15; n++) chain = chain.then(() => console.log(n));
