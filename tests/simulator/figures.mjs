// Writes what figures.json and stream-figures.json hold as tables into lab/simulator/README.md; with `--check` only looks whether it is there.
//   node tests/simulator/figures.mjs [--check]
import { readFileSync, writeFileSync } from "node:fs";

const FIGURES = {
  "figures.json": "<!-- figures.mjs writes this -->",
  "stream-figures.json": "<!-- figures.mjs writes this, too -->",
};
const README = new URL("../../lab/simulator/README.md", import.meta.url);
const END = "<!-- up to here -->";

const number = (value) => value.toLocaleString("en");

function tableOf(rows) {
  const [head, ...body] = rows.map((cells) => `| ${cells.join(" | ")} |`);
  return [head, `|${" --- |".repeat(rows[0].length)}`, ...body].join("\n");
}

export function tablesOf({ nodes, constructs, disagreed, listed }) {
  const wrongOf = (version) => disagreed.filter((each) => each.version === version);
  const byNode = Object.entries(nodes).map(([version, counts]) => [
    version,
    number(counts.programs),
    number(counts.runs),
    number(counts.one),
    number(counts.several),
    number(wrongOf(version).length),
    number(counts.refused),
    number(counts.endless),
  ]);
  const byConstruct = Object.entries(constructs)
    .sort(([, a], [, b]) => b.programs - a.programs)
    .map(([name, { programs, several, wrong = 0 }]) => [
      name,
      ...[programs, several, wrong].map(number),
    ]);
  const byList = Object.entries(listed ?? {}).map(
    ([version, { programs, rare, missed, wrong }]) => {
      const isListed = programs - rare - missed - wrong;
      const share = `${((100 * isListed) / programs).toFixed(1)} %`;
      return [version, ...[programs, isListed, rare, missed, wrong].map(number), share];
    },
  );
  return [
    tableOf([
      ["Node", "programs", "runs", "one order", "several", "wrong", "refused", "endless"],
      ...byNode,
    ]),
    tableOf([["on all Nodes, programs with", "programs", "several", "wrong"], ...byConstruct]),
    ...(byList.length
      ? [
          tableOf([
            [
              "what a reader is shown",
              "programs",
              "has Node's order",
              "rare",
              "missed",
              "wrong",
              "share",
            ],
            ...byList,
          ]),
        ]
      : []),
  ].join("\n\n");
}

function main() {
  const text = readFileSync(README, "utf8");
  let wanted = text;
  for (const [name, begin] of Object.entries(FIGURES)) {
    const figures = JSON.parse(readFileSync(new URL(name, import.meta.url), "utf8"));
    const [before, rest] = wanted.split(begin);
    const after = rest.slice(rest.indexOf(END));
    wanted = `${before}${begin}\n\n${tablesOf(figures)}\n\n${after}`;
  }
  if (process.argv.includes("--check")) {
    if (wanted !== text) {
      console.error(
        "The tables of lab/simulator/README.md are not those of the files with figures: run this without --check.",
      );
      process.exitCode = 1;
    }
  } else writeFileSync(README, wanted);
}

if (process.argv[1] === new URL(import.meta.url).pathname) main();
