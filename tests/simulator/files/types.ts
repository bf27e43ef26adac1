import { setTimeout as wait } from "node:timers/promises";
import { half } from "./half.ts";

interface Level {
  depth: number;
}
const level: Level = { depth: 4 };
await wait(half(level.depth) as number);
console.log("depth", level.depth);
