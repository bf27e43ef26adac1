// What the machine is made of, read from the disk: a page gets the same from its bundle.
import { readFile } from "node:fs/promises";
import * as acorn from "acorn";
import {
  INSIDE,
  INSIDE_LATER,
  INSIDE_OF_GUESTS,
  INSIDE_ON_DISK,
  INSIDE_SERVERS,
} from "./machine.js";

const ENGINE = "@jitl/quickjs-ng-wasmfile-release-sync/wasm";

/** {binary, acorn, realm, hooks, …}: the engine's file, the parser, and the texts that are evaluated inside. */
export async function parts() {
  const inside = (name) => readFile(new URL(`inside/${name}.js`, import.meta.url), "utf8");
  const binary = await readFile(new URL(import.meta.resolve(ENGINE)));
  const names = [
    ...[...INSIDE, ...INSIDE_LATER, ...INSIDE_ON_DISK],
    ...[...INSIDE_OF_GUESTS, ...INSIDE_SERVERS],
  ];
  const texts = await Promise.all(names.map(inside));
  return { binary, acorn, ...Object.fromEntries(names.map((name, at) => [name, texts[at]])) };
}
