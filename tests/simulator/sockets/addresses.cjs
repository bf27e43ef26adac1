const url = require("node:url");

for (const text of [
  "http://a.b/c?d=e#f",
  "https://user:word@x.org:8080/a/../b",
  "file:///tmp/a%20b",
  "mailto:a@b",
]) {
  const { href, origin, protocol, username, password, host, port, pathname, search, hash } =
    new URL(text);
  console.log(href, origin, protocol, username, password, host, port, pathname, search, hash);
}
const address = new URL("/a b?x=1&y=2#z", "http://127.0.0.1:3000");
address.searchParams.append("x", "ü");
address.port = "80";
console.log(address, address.searchParams.getAll("x"), URL.canParse("nothing"), `${address}`);
try {
  new URL("//");
} catch ({ name, code, message, input }) {
  console.log(name, code, message, input);
}
console.log(url.fileURLToPath("file:///a/b%20c"), url.pathToFileURL("/a b#c").href);
console.log(
  url.parse("http://a:b@c.d:1/e?f=g#h").pathname,
  url.format({ protocol: "http", host: "a" }),
);
console.log([...new URLSearchParams("a=1&a=2&b=")], require("node:querystring").parse("a=1&b=2").b);
