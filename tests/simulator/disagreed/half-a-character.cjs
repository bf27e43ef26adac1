// Half of a character is printed as one that is unknown, also where a stream gives it out in pieces.
const { Readable } = require("node:stream");
console.log("\ud83d", "\ude00".length, JSON.stringify("\ud83d"));
const text = new Readable({ read() {} }).setEncoding("utf8");
text.push(Buffer.from("a😀b"));
text.push(null);
text.on("readable", () => {
  for (let piece = text.read(2); piece !== null; piece = text.read(2)) console.log(piece);
});
