// What judges an exercise on the model, as texts that the engine evaluates: the driver, the harness, and of an exercise its check.
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, transform } from "esbuild";

const HERE = dirname(fileURLToPath(import.meta.url));
const GRADER = join(HERE, "../../node/grader");
const TARGET = "es2022";

async function bundled(file) {
  const { outputFiles } = await build({
    entryPoints: [file],
    absWorkingDir: HERE,
    bundle: true,
    format: "cjs",
    platform: "node",
    target: TARGET,
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: "none",
    write: false,
    logLevel: "silent",
  });
  return outputFiles[0].text;
}
const inFunction = (text, names, last) =>
  `function (${names}) { const module = { exports: {} }; let exports = module.exports;${text}\n${last} }`;

/** An expression without comments and line ends that it does not need. */
async function shortened(text) {
  const head = "globalThis.made=";
  const { code } = await transform(`${head}${text}`, { minifyWhitespace: true, target: TARGET });
  return code.slice(head.length).replace(/;\n?$/, "");
}

/** {driver, harness}: what all exercises have in common. */
export async function commonTexts() {
  const driver = await bundled(join(HERE, "driver.mjs"));
  const texts = await Promise.all(
    [join(GRADER, "frames.js"), join(HERE, "hand-in.js")].map((file) => readFile(file, "utf8")),
  );
  return {
    driver: inFunction(
      driver,
      "require, config, channel, check",
      "module.exports.judge(config, channel, check(require).default);",
    ),
    harness: await shortened(`function (require, config, channel, scene) {${texts.join("\n")}\n}`),
  };
}

/** {check, scene}: those of the exercise in a folder; `scene` is null where it has none. */
export async function textsOf(folder) {
  const check = await bundled(join(folder, "check.mjs"));
  const scene = await readFile(join(folder, "inside.js"), "utf8").catch((error) => {
    if (error.code !== "ENOENT") throw error;
    return null;
  });
  return {
    check: await shortened(inFunction(check, "require", "return module.exports;")),
    scene: scene && (await shortened(`function (module, exports, own) {"use strict";${scene}\n}`)),
  };
}
