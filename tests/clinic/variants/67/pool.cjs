// A pool of connections as drivers have one: opened when they are needed, kept, and lent to one question at a time.
const net = require("node:net");

module.exports = class Pool {
  constructor({ port, max }) {
    this.port = port;
    this.max = max;
    this.opened = 0;
    this.idle = [];
    this.pending = [];
  }

  async acquire() {
    if (this.idle.length > 0) return this.idle.pop();
    if (this.opened < this.max) {
      this.opened += 1;
      const stream = new net.Socket();
      stream.setNoDelay(true);
      await new Promise((done, failed) => {
        stream.once("error", failed);
        stream.connect(this.port, "127.0.0.1", done);
      });
      return stream;
    }
    return new Promise((done) => this.pending.push(done));
  }

  release(stream) {
    const waiting = this.pending.shift();
    if (waiting) waiting(stream);
    else this.idle.push(stream);
  }

  async query(sql) {
    const stream = await this.acquire();
    try {
      return await new Promise((done, failed) => {
        stream.once("error", failed);
        stream.once("data", (rows) => {
          stream.off("error", failed);
          done(JSON.parse(rows));
        });
        stream.write(`${sql}\n`);
      });
    } finally {
      this.release(stream);
    }
  }
};
