setTimeout(() => console.log("never"), 1000).unref();
setTimeout(() => console.log("yes"), 10);
const held = setTimeout(() => console.log("held again"), 30).unref();
held.ref();
console.log(held.hasRef());
