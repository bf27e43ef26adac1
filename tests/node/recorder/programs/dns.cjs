const dns = require("node:dns");

const resolver = new dns.Resolver({ timeout: 30, tries: 1 });
resolver.setServers(["127.0.0.1:9"]); // nobody answers there
resolver.resolve4("example.test", (error) => console.log("resolve", error.code));
dns.lookup("localhost", () => console.log("lookup"));
dns.promises.lookupService("127.0.0.1", 22).finally(() => console.log("service"));
