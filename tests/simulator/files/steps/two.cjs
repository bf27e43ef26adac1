module.exports = () => process.nextTick(() => console.log("two"));
