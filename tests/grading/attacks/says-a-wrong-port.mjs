// slow-disk-server. Says that it listens where no port can be.
console.log("listening on http://127.0.0.1:99999999");
setInterval(() => {}, 1000);
