const after = (ms, value) => new Promise((resolve) => setTimeout(resolve, ms, value));
const fails = (ms, what) => new Promise((_, reject) => setTimeout(reject, ms, new Error(what)));
Promise.race([after(30, "slow"), after(10, "fast")]).then((value) => console.log("race", value));
Promise.all([after(20, 1), fails(15, "all fails")]).catch((error) => console.log(error.message));
Promise.allSettled([after(5, "a"), fails(10, "b")]).then((results) =>
  console.log(results.map((r) => r.status)),
);
Promise.any([fails(1, "no"), after(40, "any")]).then((value) => console.log("any", value));
