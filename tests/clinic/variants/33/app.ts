// A cache with an upper bound: it fills for some seconds, then the oldest entry makes room.
import { createServer } from "node:http";
import { setTimeout as wait } from "node:timers/promises";

class Cache<V> {
  private readonly entries = new Map<string, V>();
  private readonly limit: number;

  constructor(limit: number) {
    this.limit = limit;
  }

  async get(key: string, make: () => Promise<V>): Promise<V> {
    const found = this.entries.get(key);
    if (found !== undefined) return found;
    const made = await make();
    this.entries.set(key, made);
    if (this.entries.size > this.limit) this.entries.delete([...this.entries.keys()][0]);
    return made;
  }
}

const cache = new Cache<string>(2_000);
createServer(async (_request, response) => {
  const key = String(Math.floor(Math.random() * 20_000));
  const text = await cache.get(key, async () => {
    await wait(5);
    return `${key} `.repeat(4_000);
  });
  response.end(text.slice(0, 1_000));
}).listen(Number(process.env.PORT ?? 18133), "127.0.0.1");
