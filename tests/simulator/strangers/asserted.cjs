const assert = require("node:assert");
const told = (attempt) => {
  try {
    attempt();
  } catch (error) {
    console.log(error.code, error.generatedMessage, error.message);
  }
};
told(() => assert(0));
told(() => assert.ok(typeof 123 === "string"));
told(() => assert(Math.max(1, 2) < 2, "too much"));
told(() => assert.strictEqual(1, 2));
told(() => assert.deepStrictEqual({ a: 1, b: [1, 2] }, { a: 1, b: [1, 3] }));
assert.rejects(Promise.reject(new Error("r")), /r/).then(() => console.log("rejected"));
