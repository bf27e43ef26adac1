setTimeout(() => console.log("one"), 1);
setTimeout(() => console.log("zero"), 0);
setTimeout(() => console.log("minus", "five"), 0.5);
