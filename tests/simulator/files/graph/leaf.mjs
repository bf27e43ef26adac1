console.log("leaf", globalThis.hops());
