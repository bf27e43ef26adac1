const cache = new Map();

// Calls back at once if it can.
function age(name, done) {
  if (cache.has(name)) return done(cache.get(name));
  setImmediate(() => {
    cache.set(name, 29);
    done(29);
  });
}

age("Ann", () => {
  console.log("first answer");
  age("Ann", () => console.log("second answer"));
  console.log("asked again");
});
console.log("asked");
