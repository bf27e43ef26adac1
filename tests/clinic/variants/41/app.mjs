// A program that ends before it listens: its settings lack a value.
import { createServer } from "node:http";

const { secret } = JSON.parse('{"name": "shop"}');
const key = secret.trim();
createServer((_req, res) => res.end(key)).listen(18141, "127.0.0.1");
