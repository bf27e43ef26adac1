console.log("throws", globalThis.hops());
throw new Error("early");
