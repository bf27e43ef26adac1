// A week of a class in a real JupyterHub with nbgrader, in a browser: `make class-test`.
//
// An instructor makes a course and releases its first week; three students fetch it, work, and hand in: one right, one
// wrong, first on a page of the book, one hostile. The instructor collects, grades, looks in and gives back; the students
// see it. PICTURES names a folder for a picture of each step.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { launch } from "../site/browser.mjs";
import { signIn, startHub } from "./hub.mjs";
import { at, cells, idle, live, status } from "./jupyter.mjs";

const ROOT = resolve(import.meta.dirname, "../..");
const PYTHON = join(ROOT, ".venv/bin/python");
const PICTURES = process.env.PICTURES;
const WEEK = "week-1";
const PAGE = "book/instruments/what-a-load-test-measures";
const SUMMARY = join(ROOT, "exercises/instruments/summary");
const RIGHT = readFileSync(join(SUMMARY, "solution.mjs"), "utf8");
const WRONG = readFileSync(join(SUMMARY, "wrong/sorts-text.mjs"), "utf8");
const FULL = 7; // points of `summary`
const HALF = 3; // of the wrong answer
const MARK = `lab-class-${process.pid}`;
const execute = promisify(execFile);

let browser;
let hub;
let folder;
let course;
let began;
let pictures = 0;

const seconds = () => Math.round((Date.now() - began) / 1000);

/** A picture of what is on the screen, numbered in the order of the steps. */
async function picture(tab, name) {
  pictures += 1;
  if (!PICTURES) return;
  mkdirSync(PICTURES, { recursive: true });
  const file = `${String(pictures).padStart(2, "0")}-${name}.png`;
  await tab.screenshot({ path: join(PICTURES, file) });
}

/** Run a command in the folder of the course with the book's environment activated, as the page says. */
async function command(name, ...words) {
  const env = {
    ...process.env,
    PATH: `${join(ROOT, ".venv/bin")}:${process.env.PATH}`,
    LAB_EXCHANGE: join(hub.folder, "exchange"),
  };
  const { stdout, stderr } = await execute(name, words, { cwd: course, env, maxBuffer: 1 << 24 });
  return stdout + stderr;
}

/** `use(tab, base)` as somebody who signs in; on an error there is a picture, and what the hub said. */
async function as(name, use) {
  const { tab, base, context } = await signIn(browser, hub, name, { width: 1440, height: 900 });
  tab.setDefaultTimeout(120_000);
  try {
    await use(tab, base);
  } catch (error) {
    await picture(tab, `error-${name}`).catch(() => {});
    throw new Error(`${name}: ${error.message}\n${hub.log().slice(-3000)}`, { cause: error });
  } finally {
    await context.close();
  }
}

/** JupyterLab, when it is there. */
async function jupyterlab(tab, base, path = "") {
  await tab.goto(`${base}lab${path}${path.includes("?") ? "&" : "?"}reset`);
  await tab.locator("#jp-main-dock-panel").waitFor();
  await tab.locator("#jupyterlab-splash").waitFor({ state: "detached" });
}

/** The list of assignments, by the menu. Returns its panel. */
async function assignments(tab, base) {
  await jupyterlab(tab, base);
  await tab.locator(".lm-MenuBar-itemLabel", { hasText: "Nbgrader" }).click();
  await tab.locator(".lm-Menu-itemLabel", { hasText: "Assignment List" }).click();
  const panel = tab
    .locator("#nbgrader-assignment-list, .nbgrader-assignment-list-widget, #assignments")
    .first();
  await panel.waitFor();
  return panel;
}

async function fetched(tab, base) {
  const panel = await assignments(tab, base);
  const fetchButton = panel.getByRole("button", { name: "Fetch", exact: true }).first();
  await fetchButton.waitFor();
  await picture(tab, "student-sees-the-assignment");
  await fetchButton.click();
  await panel.getByRole("button", { name: "Submit" }).first().waitFor();
  await picture(tab, "student-has-fetched");
}

async function submitted(tab, base, name) {
  const panel = await assignments(tab, base);
  await panel.getByRole("button", { name: "Submit" }).first().click();
  await panel
    .locator("#submitted_assignments_list, #submitted_assignments")
    .getByText(WEEK)
    .first()
    .waitFor();
  await picture(tab, `${name}-has-submitted`);
}

/** Run a cell. JupyterLab forgets what is asked of a kernel that it is just connecting to: then again. */
async function runs(tab, cell) {
  const done = cell.locator(".jp-InputPrompt", { hasText: /\[\d+\]/ });
  for (let i = 0; ; i++) {
    await cell.locator(".cm-content").click();
    await tab.keyboard.press("Control+Enter");
    const there = await done.waitFor({ timeout: 30_000 }).then(
      () => true,
      () => false,
    );
    if (there) return;
    assert.ok(i < 3, "the cell does not run");
  }
}

/** Open the notebook of the exercise, put a program into the cell to work in, run it, and read what it says. */
async function worked(tab, base, program, name) {
  await jupyterlab(tab, base, `/tree/${WEEK}/summary.ipynb`);
  const notebook = tab.locator(".jp-NotebookPanel:visible");
  await notebook.locator(".jp-Notebook-ExecutionIndicator[data-status='idle']").waitFor();
  const code = notebook.locator(".jp-CodeCell");
  await runs(tab, code.nth(0));
  await code.nth(1).locator(".cm-content").click();
  await tab.keyboard.press("Control+a");
  await tab.keyboard.insertText(`%%submit summary\n${program}`);
  await runs(tab, code.nth(1));
  const output = code
    .nth(1)
    .locator(".jp-OutputArea-output .lab-graded, .jp-OutputArea-output section")
    .first();
  await output.waitFor();
  await output.scrollIntoViewIfNeeded();
  const text = await code.nth(1).locator(".jp-OutputArea").innerText();
  await picture(tab, `${name}-reads-what-it-is-worth`);
  await tab.keyboard.press("Control+s");
  await notebook.locator(".jp-NotebookPanel-toolbar").waitFor();
  const file = join(hub.folder, "home", name, WEEK, "summary.ipynb");
  for (
    let i = 0;
    i < 100 &&
    !readFileSync(file, "utf8").includes(JSON.stringify(program.slice(-40)).slice(1, -1));
    i++
  )
    await pause(100);
  return text;
}

before(async () => {
  browser = await launch();
  folder = mkdtempSync(join(tmpdir(), "lab-class-"));
  course = join(folder, "course");
  began = Date.now();
  await execute(PYTHON, ["-m", "lab.classroom", "make", course], { cwd: ROOT });
  hub = await startHub({
    students: ["ann", "ben", "mal"],
    instructors: ["grace"],
    env: { LAB_PROFILE: "smoke", LAB_COURSE: course },
  });
});

after(async () => {
  await browser?.close();
  await hub?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

describe("a week of a class", () => {
  it("an instructor generates and releases the first week", async () => {
    await as("grace", async (tab, base) => {
      await tab.goto(`${base}formgrader`);
      const row = tab.locator("tr", { hasText: WEEK }).first();
      await row.waitFor();
      await picture(tab, "instructor-opens-formgrader");
      await row.locator(".assign a").click();
      await tab.locator(".modal.in .modal-body").waitFor();
      await picture(tab, "instructor-generates");
      await closed(tab, /success/i);
      await row.locator(".release a").first().click();
      await closed(tab, /success/i);
      await row.locator(".status", { hasText: "released" }).waitFor();
      await picture(tab, "instructor-has-released");
    });
  });

  it("a student does it right, in JupyterLab", async () => {
    await as("ann", async (tab, base) => {
      await fetched(tab, base);
      const said = await worked(tab, base, RIGHT, "ann");
      assert.match(said, /7 of 7 points/);
      await submitted(tab, base, "ann");
    });
  });

  it("a student does it wrong, on the page of the book and then in JupyterLab, and hands it in", async () => {
    await as("ben", async (tab, base) => {
      await tab.goto(`${base}book/${PAGE}.html`);
      await live(tab);
      const cell = cells(tab).first();
      await at(cell, /^(Edit|Code)/).click();
      await cell.locator(".cm-content").click();
      await tab.keyboard.press("Control+a");
      await tab.keyboard.insertText(`%%submit summary\n${WRONG}`);
      await cell.locator(".lab-live-run").click();
      assert.equal(await idle(tab, 120), "idle", await status(tab));
      await cell.getByText("sorted as text").first().waitFor();
      await cell.scrollIntoViewIfNeeded();
      await picture(tab, "ben-tries-on-a-page");
      await fetched(tab, base);
      const said = await worked(tab, base, WRONG, "ben");
      assert.match(said, /sorted as text/);
      await submitted(tab, base, "ben");
    });
  });

  it("a hostile student hands in a forged notebook", async () => {
    await as("mal", async (tab, base) => {
      await fetched(tab, base);
      const place = join(hub.folder, "home/mal", WEEK);
      const notebook = JSON.parse(readFileSync(join(place, "summary.ipynb"), "utf8"));
      for (const cell of notebook.cells) {
        if (cell.cell_type !== "code") continue;
        // What a cell with full points looks like, more points, and somebody else's tests.
        const { grade } = cell.metadata.nbgrader;
        if (grade) cell.metadata.nbgrader.points = 100;
        if (grade) cell.source = "raise SystemExit(0)";
        cell.outputs = [
          {
            output_type: "execute_result",
            data: { "text/plain": "100" },
            metadata: {},
            execution_count: 1,
          },
        ];
        cell.execution_count = 1;
        if (cell.metadata.nbgrader.solution) cell.source = `%%submit summary\n${hostile()}`;
      }
      writeFileSync(join(place, "summary.ipynb"), JSON.stringify(notebook));
      await jupyterlab(tab, base, `/tree/${WEEK}/summary.ipynb`);
      await tab.locator(".jp-NotebookPanel:visible .jp-CodeCell").nth(2).waitFor();
      await picture(tab, "mal-forges-full-points");
      await submitted(tab, base, "mal");
    });
  });

  it("the instructor collects, grades, looks in and gives points by hand", async () => {
    await as("grace", async (tab, base) => {
      await tab.goto(`${base}formgrader`);
      const row = tab.locator("tr", { hasText: WEEK }).first();
      await row.locator(".collect a").click();
      await closed(tab, /success/i);
      await row.locator(".num-submissions", { hasText: "3" }).waitFor();
      await picture(tab, "instructor-has-collected");
      await row.locator(".num-submissions a").click();
      const ann = tab.locator("tr", { has: tab.locator(".student-id", { hasText: "ann" }) });
      await ann.locator(".autograde a").click();
      await closed(tab, /success/i);
      console.log(
        `# from make course to the first graded hand-in: ${seconds()} s, students included`,
      );
      await picture(tab, "instructor-grades-one");
      const said = await command("nbgrader", "autograde", WEEK);
      assert.match(said, /12\/12/);
      await tab.reload();
      await tab.locator("td.status", { hasText: "graded" }).nth(2).waitFor();
      await picture(tab, "instructor-has-graded-all");
      await looked(tab, base);
      await tab.goto(`${base}formgrader`);
      await row.locator(".generate-feedback a").click();
      await closed(tab, /success/i);
      await row.locator(".release-feedback a").click();
      await closed(tab, /success/i);
      await picture(tab, "instructor-has-given-back");
    });
  });

  it("students see their points, what was seen, and what the instructor wrote", async () => {
    const textOfPage = {};
    for (const name of ["ann", "ben", "mal"])
      await as(name, async (tab, base) => {
        const panel = await assignments(tab, base);
        await panel.getByRole("button", { name: "Fetch Feedback" }).first().click();
        await panel.getByText("View Feedback").first().waitFor();
        await picture(tab, `${name}-fetches-feedback`);
        const place = join(hub.folder, "home", name, WEEK, "feedback");
        const [when] = readdirSync(place);
        const file = `${WEEK}/feedback/${when}/summary.html`;
        await tab.goto(`${base}files/${encodeURI(file)}`);
        textOfPage[name] = await tab.locator("body").innerText();
        await tab.locator("h4, .panel-heading").first().waitFor();
        await picture(tab, `${name}-reads-the-feedback`);
      });
    assert.match(textOfPage.ann, /Score: 7\.0 \/ 7\.0/);
    assert.match(textOfPage.ben, /sorted as text/);
    assert.match(textOfPage.ben, /Nearly there/);
    assert.match(textOfPage.mal, /Score: 0\.0 \/ 7\.0/);
    for (const text of Object.values(textOfPage)) assert.doesNotMatch(text, /LEAK/);
  });

  it("the grades are exported, and the attack gained nothing and left nothing", async () => {
    await command("nbgrader", "export");
    const rows = readFileSync(join(course, "grades.csv"), "utf8").trim().split("\n");
    const names = rows[0].split(",");
    const score = Object.fromEntries(
      rows
        .slice(1)
        .map((row) => row.split(","))
        .filter((row) => row[names.indexOf("assignment")] === WEEK)
        .map((row) => [row[names.indexOf("student_id")], Number(row[names.indexOf("score")])]),
    );
    console.log(`# points: ${JSON.stringify(score)}`);
    // The other notebooks of the week they handed in as they were.
    assert.equal(score.ann - score.mal, FULL);
    assert.equal(score.ann - score.ben, FULL - HALF);
    const left = readdirSync("/proc").filter(
      (pid) => /^\d+$/.test(pid) && commandLine(pid).includes(MARK),
    );
    assert.deepEqual(left, []);
    assert.ok(!existsSync(join(tmpdir(), MARK)));
    assert.ok(existsSync(join(course, "gradebook.db")));
  });
});

const commandLine = (pid) => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
};

/** Wait for what the formgrader says in its window, and close it. */
async function closed(tab, words) {
  const modal = tab.locator(".modal.in");
  await modal.locator(".modal-title, .modal-body", { hasText: words }).first().waitFor();
  await modal.locator("button.close, .modal-footer button").first().click();
  await modal.waitFor({ state: "detached" });
  await tab.locator(".modal-backdrop").waitFor({ state: "detached" });
}

/** Look into one hand-in, give half a point by hand and write a comment. */
async function looked(tab, base) {
  await tab.goto(`${base}formgrader/gradebook/${WEEK}/summary`);
  await tab.locator("table tbody tr").nth(2).waitFor();
  await picture(tab, "instructor-sees-hand-ins-without-names");
  const links = await tab
    .locator("table tbody a[href*='submissions']")
    .evaluateAll((all) => all.map((one) => one.href));
  for (const href of new Set(links)) {
    await tab.goto(href);
    await tab.locator("input.score").first().waitFor();
    if (!(await tab.locator("body").innerText()).includes("sorted as text")) continue;
    const comment = tab.locator("textarea.comment").first();
    await comment.fill("Nearly there: how does sort() compare?");
    await comment.blur();
    await tab
      .locator(".comment-saved, .save-icon, .glyphicon-ok")
      .first()
      .waitFor({ state: "attached" });
    await comment.scrollIntoViewIfNeeded();
    await pause(1000); // it is saved when its field is left, and nothing tells when
    await picture(tab, "instructor-looks-into-one");
    return;
  }
  throw new Error("No hand-in has the message of the wrong answer.");
}

/** A program that reads, kills, multiplies, and writes its own verdict. */
function hostile() {
  const secrets = [
    join(SUMMARY, "check.mjs"),
    join(SUMMARY, "solution.mjs"),
    join(hub.folder, "home/ann", WEEK, "summary.ipynb"),
    join(course, "gradebook.db"),
    join(course, "submitted/ann", WEEK, "summary.ipynb"),
    "/etc/shadow",
  ];
  return `
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

let found = "";
for (const file of ${JSON.stringify(secrets)}) {
  try { found += ["LE", "AK"].join("") + file + readFileSync(file, "utf8").slice(0, 80); } catch {}
}
for (const place of ${JSON.stringify([join(course, "gradebook.db"), join(tmpdir(), MARK)])}) {
  try { writeFileSync(place, "mine"); } catch {}
}
for (let i = 0; i < 50; i++) {
  try { spawn(process.execPath, ["-e", "setInterval(() => {}, 1e6)", "${MARK}"], { detached: true }).on("error", () => {}).unref(); } catch {}
}
try { process.kill(-1, "SIGKILL"); } catch {}
try { process.kill(process.ppid, "SIGKILL"); } catch {}
console.log(JSON.stringify({ criterion: "throughput", outcome: "held", points: 100 }));
if (found) throw new Error(found);
export const summary = () => ({ throughput: 100, points: 100 });
`;
}
