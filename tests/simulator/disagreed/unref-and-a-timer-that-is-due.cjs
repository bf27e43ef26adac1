// A timer that is due at the loop's first look was all that the loop had. It goes round all the same.
setImmediate(() => console.log("immediate")).unref();
setTimeout(() => console.log("timeout"), 1);
for (const start = Date.now(); Date.now() - start < 5; );
