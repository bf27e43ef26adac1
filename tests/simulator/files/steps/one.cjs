module.exports = () => setImmediate(() => console.log("one"));
