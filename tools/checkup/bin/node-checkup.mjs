#!/usr/bin/env node
// Runs node-checkup, whose wheel lies beside this file: with uv where that is installed, else in an environment of its own that
// is made once, by any Python from 3.11 on. Nothing is installed outside of the folder of caches.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const LEAST = 11; // of Python 3
const NEWEST = 15;
const NOT_EXAMINED = 2;
const here = path.join(path.dirname(fileURLToPath(import.meta.url)), "..");
const wheel = readdirSync(here).find((name) => name.endsWith(".whl"));

function end(message) {
  process.stderr.write(`${message}\n`);
  process.exit(NOT_EXAMINED);
}

// The first line that a program prints, or null if it cannot be run.
function asked(program, ...words) {
  const answer = spawnSync(program, words, { encoding: "utf8" });
  return answer.status === 0 ? answer.stdout.trim().split("\n")[0] : null;
}

function python() {
  const versions = Array.from({ length: NEWEST - LEAST + 1 }, (_, index) => NEWEST - index);
  const names = ["python3", "python", ...versions.map((minor) => `python3.${minor}`)];
  const chosenPython = process.env.CHECKUP_PYTHON;
  for (const program of chosenPython ? [chosenPython] : names) {
    const version = asked(program, "-c", "import sys; print(*sys.version_info[:2])");
    const [major, minor] = (version ?? "").split(" ").map(Number);
    if (major === 3 && minor >= LEAST) return { program, minor };
  }
  return end(
    chosenPython
      ? `node-checkup: CHECKUP_PYTHON names ${chosenPython}, which is not Python 3.${LEAST} or ` +
          "newer. Give the path of a newer Python."
      : `node-checkup needs Python 3.${LEAST} or newer, and none is on the PATH. Install it ` +
          "(python.org, or your system's package python3), or set CHECKUP_PYTHON to its path.",
  );
}

function caches() {
  const usual = process.platform === "darwin" ? "Library/Caches" : ".cache";
  const folder = process.env.XDG_CACHE_HOME || path.join(homedir(), usual);
  return path.join(folder, "node-checkup");
}

function run(program, words) {
  const child = spawn(program, words, { stdio: "inherit" });
  // The terminal sends Ctrl-C to the child as well, and the child says what is known by then.
  process.on("SIGINT", () => {});
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  child.on("error", (error) =>
    end(`node-checkup: ${program} could not be started: ${error.message}.`),
  );
  child.on("exit", (code, signal) => process.exit(signal ? 130 : code));
}

// Make the environment beside its place and move it there when it is whole: what is interrupted is not found half made.
function made(folder, program) {
  const fresh = `${folder}.${process.pid}`;
  const steps = [
    [program, "-m", "venv", fresh],
    [
      path.join(fresh, "bin", "python"),
      ...["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"],
      path.join(here, wheel),
    ],
  ];
  process.stderr.write(
    "node-checkup: installing its Python part. This happens only once " +
      "(about 1 MB to download).\n",
  );
  mkdirSync(path.dirname(folder), { recursive: true });
  for (const [index, [first, ...words]] of steps.entries()) {
    const step = spawnSync(first, words, { encoding: "utf8" });
    if (step.status !== 0) {
      rmSync(fresh, { recursive: true, force: true });
      const output = `${step.stderr ?? ""}${step.stdout ?? ""}`
        .trim()
        .split("\n")
        .slice(-3)
        .join("\n");
      end(
        index === 0
          ? `node-checkup: ${program} can't create a virtual environment. Install its venv ` +
              "module (on Debian and Ubuntu, the package python3-venv), or install uv " +
              "(docs.astral.sh/uv).\n" +
              `${output}`
          : "node-checkup: its Python part could not be installed. Check that pip reaches " +
              "your package index.\n" +
              `${output}`,
      );
    }
  }
  // pip has done its work, and is a quarter of the folder.
  spawnSync(path.join(fresh, "bin", "python"), [
    "-m",
    "pip",
    "uninstall",
    "--quiet",
    "--yes",
    "setuptools",
    "pip",
  ]);
  // Its scripts name the folder in which they were made: they are not used, the module is.
  try {
    renameSync(fresh, folder);
  } catch {
    rmSync(fresh, { recursive: true, force: true }); // another process was faster
  }
}

if (process.platform === "win32")
  end("node-checkup runs on Linux and macOS. On Windows, use it in WSL.");
if (!wheel) end("node-checkup: this package has no wheel. Install the package again.");
const words = process.argv.slice(2);
if (!process.env.CHECKUP_PYTHON && asked("uv", "--version") !== null) {
  run("uv", ["tool", "run", "--from", path.join(here, wheel), "node-checkup", ...words]);
} else {
  const { program, minor } = python();
  let place = caches();
  try {
    mkdirSync(place, { recursive: true });
    writeFileSync(path.join(place, ".writable"), "");
  } catch {
    place = path.join(tmpdir(), `node-checkup-${process.getuid()}`);
  }
  const folder = path.join(place, `${path.basename(wheel, ".whl")}-3.${minor}`);
  const interpreter = path.join(folder, "bin", "python");
  if (!existsSync(interpreter)) made(folder, program);
  run(interpreter, ["-m", "node_checkup", ...words]);
}
