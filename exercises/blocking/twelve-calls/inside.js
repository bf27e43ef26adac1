// Played in a process without a hand-in: twelve calls behind the gate. Told: each call that is answered, when it is.
const crypto = own.require("node:crypto");
const dgram = own.require("node:dgram");
const dns = own.require("node:dns");
const { once } = own.require("node:events");
const fs = own.require("node:fs");
const http = own.require("node:http");
const { spawn } = own.require("node:child_process");
const zlib = own.require("node:zlib");

// Whatever it is asked, the address is 127.0.0.1.
async function nameServer() {
  const answer = Buffer.from("c00c000100010000000000047f000001", "hex");
  const socket = dgram.createSocket("udp4", (question, from) => {
    const reply = Buffer.concat([question.subarray(0, 18 + question[12]), answer]);
    reply.writeUInt16BE(0x8180, 2);
    reply.writeUInt32BE(0x00010001, 4);
    reply.writeUInt32BE(0, 8);
    socket.send(reply, from.port, from.address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  const resolver = new dns.Resolver();
  resolver.setServers([`127.0.0.1:${socket.address().port}`]);
  return resolver;
}

exports.gate = async function gate(_student, { pipes, names, lookups }, tell) {
  const resolver = await nameServer();
  const server = http.createServer((_request, response) => response.end()).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  fs.mkdirSync("watched");
  fs.writeFileSync("a-file", "text");
  // A name that cannot be found, or a connection that is refused, is an answer, too.
  const get = (host) => (done) =>
    http
      .get({ host, port, family: 4 }, (response) => response.resume().on("end", done))
      .on("error", done);
  const calls = {
    "fs.stat": (done) => fs.stat("/", done),
    "fs.statSync": (done) => done(fs.statSync("/")),
    "fs.watch": (done) => {
      const watcher = fs.watch("watched", () => {
        watcher.close();
        done();
      });
      fs.writeFileSync("watched/new", "");
    },
    "fs.promises.readFile": (done) => fs.promises.readFile("a-file").then(done),
    "dns.lookup": (done) => dns.lookup("localhost", done),
    "dns.resolve4": (done) => resolver.resolve4("book", done),
    "http.get by name": get("localhost"),
    "http.get by address": get("127.0.0.1"),
    "crypto.pbkdf2": (done) => crypto.pbkdf2("secret", "salt", 1000, 32, "sha256", done),
    "crypto.randomBytes": (done) => done(crypto.randomBytes(8)),
    "zlib.gzip": (done) => zlib.gzip("text", done),
    "child_process.spawn": (done) => spawn(process.execPath, ["--version"]).on("exit", done),
  };
  // glibc looks for an alias of a name in the file that HOSTALIASES names: a named pipe holds it there.
  if (names) process.env.HOSTALIASES = names;
  for (let i = 0; i < lookups; i++) dns.lookup("name-behind-the-gate", () => tell("look-up"));
  for (const pipe of pipes) fs.open(pipe, () => {});
  const atOnce = [];
  for (const [name, call] of Object.entries(calls)) {
    let returned = false;
    let told = false;
    call(() => {
      if (!returned) atOnce.push(name);
      if (!told) tell(name);
      told = true;
    });
    returned = true;
  }
  return atOnce;
};

exports.table = (student) => student.where;
