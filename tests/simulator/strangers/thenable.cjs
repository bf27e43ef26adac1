const thenable = {
  then(resolve) {
    console.log("then is called");
    resolve("value");
  },
};
(async () => {
  console.log("before");
  console.log(await thenable);
})();
Promise.resolve(thenable).then((value) => console.log("chained", value));
Promise.resolve()
  .then(() => console.log("micro 1"))
  .then(() => console.log("micro 2"));
console.log("sync");
