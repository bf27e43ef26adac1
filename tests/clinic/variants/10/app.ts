// A batching loader as GraphQL servers have one, which settles its keys one microtask at a time.
import { createServer } from "node:http";

type Waiting = { key: number; settle: (value: string) => void };

class Loader {
  private queue: Waiting[] = [];

  load(key: number): Promise<string> {
    return new Promise((settle) => {
      this.queue.push({ key, settle });
      if (this.queue.length === 1) queueMicrotask(() => this.next());
    });
  }

  private next(): void {
    const first = this.queue.pop();
    if (!first) return;
    first.settle(`user ${first.key}`);
    queueMicrotask(() => this.next());
  }
}

const numbers = (length: number) => Array.from({ length }, (_, n) => n);

createServer(async (_request, response) => {
  const loader = new Loader();
  const friends = (key: number) => Promise.all(numbers(150).map((n) => loader.load(key + n)));
  const all = await Promise.all(
    numbers(200).map((key) => loader.load(key).then(() => friends(key))),
  );
  response.end(JSON.stringify({ names: all.flat().length }));
}).listen(Number(process.env.PORT ?? 18110), "127.0.0.1");
