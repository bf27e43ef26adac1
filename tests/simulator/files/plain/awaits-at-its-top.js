console.log("before", typeof require);
console.log("after", await Promise.resolve(1));
