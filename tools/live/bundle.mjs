// Bundles what a live page runs (lab/live/client) with the two libraries it uses, into tools/live/bundle.
//   node tools/live/bundle.mjs            writes it
//   node tools/live/bundle.mjs --sizes    and says how large each file is, compressed, and what is in it

import { readFileSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const HERE = dirname(fileURLToPath(import.meta.url));
const CLIENT = join(HERE, "../../lab/live/client");
const OUT = join(HERE, "bundle");

/**
 * The client's libraries are those of this folder, and never the same ones of the book's own packages: two copies of
 * an editor's state do not know each other.
 */
const fromHere = {
  name: "from-here",
  setup(bundler) {
    bundler.onResolve({ filter: /^[^./]/ }, ({ path, importer, kind, pluginData }) =>
      pluginData !== fromHere && dirname(importer) === CLIENT
        ? bundler.resolve(path, { resolveDir: HERE, kind, pluginData: fromHere })
        : undefined,
    );
  },
};

rmSync(OUT, { recursive: true, force: true });
const { metafile } = await build({
  entryPoints: [join(CLIENT, "live.js"), join(CLIENT, "live.css")],
  outdir: OUT,
  absWorkingDir: HERE,
  plugins: [fromHere],
  bundle: true,
  splitting: true,
  format: "esm",
  target: "es2022",
  minify: true,
  legalComments: "linked", // beside the code: they are not asked of whoever reads
  metafile: true,
  logLevel: "warning",
});

if (process.argv.includes("--sizes"))
  for (const [name, { inputs, bytes }] of Object.entries(metafile.outputs)) {
    const gzippedBytes = gzipSync(readFileSync(join(HERE, name)), { level: 9 }).length;
    const packages = new Map();
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      const found = path.match(/.*node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1] ?? "ours";
      packages.set(found, (packages.get(found) ?? 0) + bytesInOutput);
    }
    console.log(`${basename(name)}: ${bytes} bytes, ${gzippedBytes} gzipped`);
    for (const [one, size] of [...packages].sort((a, b) => b[1] - a[1]).slice(0, 12))
      if (size > 2000) console.log(`  ${one} ${size}`);
  }
