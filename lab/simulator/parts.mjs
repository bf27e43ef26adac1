// What the machine is made of, read from the disk: a page gets the same from its bundle.
import { readFile } from "node:fs/promises";
import * as acorn from "acorn";

const ENGINE = "@jitl/quickjs-ng-wasmfile-release-sync/wasm";

/** {binary, acorn, realm, loop, process}: the engine's file, the parser, and the texts that are evaluated inside. */
export async function parts() {
  const inside = (name) => readFile(new URL(`inside/${name}.js`, import.meta.url), "utf8");
  const [binary, realm, loop, process] = await Promise.all([
    readFile(new URL(import.meta.resolve(ENGINE))),
    inside("realm"),
    inside("loop"),
    inside("process"),
  ]);
  return { binary, acorn, realm, loop, process };
}
