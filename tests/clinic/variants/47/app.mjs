// Sessions in memory, a new one for each visitor without a cookie; the least used of two thousand goes.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";

class Sessions {
  #most;
  #all = new Map();
  constructor(most) {
    this.#most = most;
  }
  get(id) {
    const session = this.#all.get(id);
    if (session) {
      this.#all.delete(id);
      this.#all.set(id, session);
    }
    return session;
  }
  open() {
    const id = randomUUID();
    this.#all.set(id, { id, since: Date.now(), basket: [], seen: Array(20).fill("/") });
    if (this.#all.size > this.#most) this.#all.delete(this.#all.keys().next().value);
    return this.#all.get(id);
  }
}
const sessions = new Sessions(2_000);

createServer((req, res) => {
  const id = /session=([\w-]+)/.exec(req.headers.cookie ?? "")?.[1];
  const session = sessions.get(id) ?? sessions.open();
  res.setHeader("set-cookie", `session=${session.id}; HttpOnly`);
  res.end(`welcome, ${session.basket.length} articles in your basket`);
}).listen(process.env.PORT ?? 18147);
