"use strict";
const net = require("node:net");

class Client {
  constructor(port) {
    this.socket = net.connect(port, "127.0.0.1");
    this.socket.setNoDelay(true);
    this.socket.setEncoding("utf8");
    this.pending = null;
    let rest = "";
    this.socket.on("data", (text) => {
      rest += text;
      const end = rest.indexOf("\n");
      if (end < 0) return;
      const line = rest.slice(0, end);
      rest = rest.slice(end + 1);
      const { resolve } = this.pending;
      this.pending = null;
      resolve(JSON.parse(line));
    });
    this.socket.on("error", (error) => {
      if (this.pending) this.pending.reject(error);
    });
  }

  query(text) {
    return new Promise((resolve, reject) => {
      this.pending = { resolve, reject };
      this.socket.write(`${text}\n`);
    });
  }
}

class Pool {
  constructor({ port, max }) {
    this.port = port;
    this.max = max;
    this.clients = [];
    this.idle = [];
    this.queue = [];
  }

  connect() {
    const client = this.idle.pop();
    if (client) return Promise.resolve(client);
    if (this.clients.length < this.max) {
      const fresh = new Client(this.port);
      this.clients.push(fresh);
      return Promise.resolve(fresh);
    }
    return new Promise((resolve) => this.queue.push(resolve));
  }

  release(client) {
    const next = this.queue.shift();
    if (next) next(client);
    else this.idle.push(client);
  }

  async query(text) {
    const client = await this.connect();
    try {
      return await client.query(text);
    } finally {
      this.release(client);
    }
  }
}

module.exports = Pool;
