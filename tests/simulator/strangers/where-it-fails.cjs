const users = [{ name: null }];
const options = { retries: 1 };
const show = (attempt) => {
  try {
    attempt();
  } catch (error) {
    console.log(error.stack.split("\n").slice(0, 4).join("\n"));
  }
};
show(() => users.map((user) => user.name.first));
show(() => {
  users.forEach(function each(user) {
    user.name.first.second;
  });
});
show(() => missing);
show(() => options.missing(JSON.stringify(1)));
show(() => options.nope(options.retries));
show(() => new options.Absent(options.retries));
show(() => {
  throw new Error(`${options.retries} of ${options.retries.length}`);
});
class Cart {
  get total() {
    return this.items.length;
  }
  add(item) {
    return this.check(item, this.total);
  }
  check() {
    throw new RangeError("full");
  }
  static of(...items) {
    return new Cart().check(items.length);
  }
}
show(() => new Cart().add(options.retries));
show(() => Cart.of(1, 2));
async function load() {
  const row = await null;
  return row.data;
}
load().catch((error) => console.log(error.stack));
Promise.resolve()
  .then(() => missing)
  .catch((error) => console.log(error.stack));
