// A cache of rendered greetings with a largest number of entries, which is not reached soon.
import { createServer } from "node:http";

const MOST = 40_000;
const cache = new Map();
let visitor = 0;

createServer((_request, response) => {
  visitor += 1;
  const text = `Hello, visitor ${visitor}! `.repeat(4);
  cache.set(visitor, text.toUpperCase());
  if (cache.size > MOST) cache.delete(cache.keys().next().value);
  setTimeout(() => response.end(text), 4);
}).listen(process.env.PORT ?? 18175, "127.0.0.1");
