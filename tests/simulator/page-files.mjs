// The files of a site that run programs, read from its folder as its pages read them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { unpack } from "../../lab/simulator/page/unpack.js";

/** The bytes that a file of the folder has packed. */
export const unpackedIn = (folder, file) =>
  unpack(/"([A-Za-z0-9+/=]{1000,})"/.exec(readFileSync(join(folder, file), "utf8"))[1]);

/** The texts of unpacked bytes by their names; `binary` stays bytes. */
export function sections(bytes) {
  const end = bytes.indexOf(10);
  let at = end + 1;
  const entries = JSON.parse(Buffer.from(bytes.subarray(0, end))).map(([name, length]) => {
    const section = bytes.subarray(at, at + length);
    at += length;
    return [name, name === "binary" ? section : Buffer.from(section).toString()];
  });
  return Object.fromEntries(entries);
}

/** What the engine's file has beside the worker's script. */
export function engineParts(folder) {
  const engine = unpackedIn(folder, "engine.html");
  const start = engine.indexOf(10);
  const script = Number(Buffer.from(engine.subarray(0, start)));
  return sections(engine.subarray(start + 1 + script));
}
