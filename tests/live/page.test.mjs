// A page that runs where it is read: what is pressed, what comes, what is kept, and what happens when something is gone.

import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { after, afterEach, before, describe, it } from "node:test";
import { launch, siteFolder } from "../site/browser.mjs";
import { serve } from "../site/server.mjs";
import { at, cells, gone, idle, live, run, startBook, status } from "./jupyter.mjs";

const PAGE = "book/blocking/sync-or-async-files"; // Python; its first cell asks a server twice
const SCRIPT = "book/event-loop/phases"; // JavaScript
const site = siteFolder();
const ROOT = resolve(import.meta.dirname, "../..");
const BUNDLE = join(ROOT, "tools/live/bundle");
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

let browser;
let book;
before(async () => {
  browser = await launch();
  book = await startBook();
});
after(async () => {
  await browser?.close();
  await book?.stop();
});
afterEach(async () => {
  for (const one of await book.kernels()) await book.end(one.id);
});

/** `use(tab, seen)` on a live page, as a reader with nothing kept. */
async function open(page, use, { options = {}, on = book, address = on.page(page) } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  try {
    const tab = await context.newPage();
    tab.setDefaultTimeout(300_000);
    const events = { errors: [], asked: [] };
    tab.on("pageerror", (error) => events.errors.push(String(error)));
    tab.on("request", (request) => events.asked.push(request.url()));
    await tab.goto(address);
    await live(tab);
    await use(tab, events);
    assert.deepEqual(events.errors, []);
  } finally {
    await context.close();
  }
}

/** The cell, seen by a reader who has opened the section around it. */
async function unfolded(cell) {
  await cell.evaluate((element) => {
    const fold = element.closest("details.lab-fold");
    if (fold) fold.open = true;
  });
  return cell;
}

/** Put this code into a cell. */
async function write(tab, cell, code) {
  const editor = cell.locator(".cm-content");
  if ((await editor.count()) === 0) await at(cell, /^(Edit|Code)/).click();
  await editor.waitFor();
  await editor.focus();
  await tab.keyboard.press("Control+A");
  await tab.keyboard.insertText(code);
}

/** Run this code in the first cell. */
async function runCode(tab, code) {
  const cell = cells(tab).first();
  await write(tab, cell, code);
  await cell.locator(".lab-live-run").click();
  return cell;
}

const COMPARE = `import lab
arms = {"sync": lab.server("node/read-sync"), "async": lab.server("node/read-async")}
lab.compare(arms, connections=[1, 8], pairs=20, seconds=2)`;

/** A process's words, "" if it is gone. */
function words(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

/** The processes below one, as far as they are there. */
function below(pid) {
  try {
    return readdirSync(`/proc/${pid}/task`)
      .flatMap((task) => readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" "))
      .filter(Boolean)
      .flatMap((one) => [Number(one), ...below(one)]);
  } catch {
    return []; // it is gone
  }
}

/** A server with a copy of the page that wants to run `code` in somebody else's `kernel`. */
async function pretender({ kernel, code }) {
  const root = `/book/`;
  const part = `<script type="module" src="${root}_live/code/live.js" id="lab-live"
    data-root="${root}" data-base="${book.url}"></script>`;
  const html = readFileSync(`${site}/${PAGE}.html`, "utf8")
    .replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, "")
    .replace("</head>", `${part}</head>`);
  const known = JSON.parse(readFileSync(`${site}/_live/${PAGE}.json`));
  for (const one of known.cells) one.source = code;
  const answers = {
    [`${root}${PAGE}.html`]: ["text/html", html],
    [`${root}_live/${PAGE}.json`]: ["application/json", JSON.stringify(known)],
    [`${root}_live/run`]: ["application/json", JSON.stringify({ kernel, fresh: true })],
  };
  const host = createServer((request, response) => {
    const path = new URL(request.url, "http://x").pathname;
    const copied = path.startsWith(`${root}_live/code/`);
    const [type, body] =
      answers[path] ??
      (copied ? ["text/javascript", readFileSync(join(BUNDLE, basename(path)))] : []);
    response.writeHead(body ? 200 : 404, { "content-type": type ?? "text/plain" }).end(body);
  });
  await new Promise((ready) => host.listen(0, "127.0.0.1", ready));
  return host;
}

/** In the page of a stranger: what it gets who knows a kernel's name; and whether it reads the XSRF cookie. */
async function triesToRun([url, kernel, page]) {
  const xsrf = /(?:^|; )_xsrf=([^;]*)/.exec(document.cookie)?.[1] ?? "";
  const ask = (path, type, body) =>
    fetch(url + path, {
      method: "POST",
      credentials: "include",
      headers: { "content-type": type, ...(type.includes("json") && { "x-xsrftoken": xsrf }) },
      body,
    }).then(
      ({ status }) => status,
      () => "refused",
    );
  const request = { page, tab: "x", take: true };
  const socket = new WebSocket(`${url.replace("http", "ws")}api/kernels/${kernel}/channels`);
  return [
    await new Promise((done) => {
      socket.onopen = () => done("open");
      socket.onerror = () => done("refused");
    }),
    await ask("book/_live/run", "application/json", JSON.stringify(request)),
    await ask(
      `book/_live/run?_xsrf=${encodeURIComponent(xsrf)}`,
      "text/plain",
      JSON.stringify(request),
    ),
    xsrf !== "",
  ];
}

/** How many lines the words of an element take. */
const rows = (element) =>
  element.evaluate((one) => {
    const words = document.createRange();
    words.selectNodeContents(one);
    return new Set([...words.getClientRects()].map(({ top }) => Math.round(top))).size;
  });

/** Discard what was run and edited, and wait until it is forgotten: the browser's store takes its time. */
async function discard(tab) {
  await tab.getByRole("button", { name: "Back to the book's page" }).click();
  await tab.locator(".lab-live-status", { hasText: "This is the book's page again." }).waitFor();
}

/** The article as the book has it. */
const article = (tab) =>
  tab.evaluate(() => {
    const copy = document.querySelector("article").cloneNode(true);
    for (const one of copy.querySelectorAll(".lab-live-bar, .lab-live-page")) one.remove();
    return copy.textContent;
  });

describe("a live page", () => {
  it("runs a cell in its place, keeps what came, and becomes the book's again", async () => {
    await open(PAGE, async (tab) => {
      const before = await article(tab);
      const bar = tab.locator(".lab-live-page");
      const { height } = await bar.boundingBox();
      const cell = cells(tab).first();
      const output = cell.locator(".cell_output");
      const outputText = (await output.innerText()).trim();
      await run(tab, cell);
      assert.equal(await output.count(), 1);
      assert.equal((await output.innerText()).trim(), outputText); // the same words, of another server
      await cell.locator(".lab-live-yours").waitFor();
      assert.ok((await bar.boundingBox()).height < 1.5 * height, "it is not on one line any more");
      await at(cell, "Show the book's").click();
      const beside = cell.locator(".lab-live-beside .cell_output");
      assert.equal((await beside.innerText()).trim(), outputText);
      assert.equal(await cell.locator(".lab-live-yours").count(), 1);
      await at(cell, "Hide the book's").click();
      assert.equal(await beside.count(), 0);
      await tab.reload();
      await live(tab);
      assert.equal((await cell.locator(".lab-live-yours").innerText()).trim(), outputText);
      assert.match(await cell.locator(".lab-live-said").textContent(), /^Yours, /);
      await discard(tab);
      assert.equal(await cell.locator(".lab-live-yours").count(), 0);
      assert.equal(await article(tab), before);
      await tab.reload();
      await live(tab);
      assert.equal(await article(tab), before);
    });
  });

  it("a page that is loaded again goes on with the kernel it had", async () => {
    await open(PAGE, async (tab) => {
      await runCode(tab, "kept = 'still here'");
      assert.equal(await idle(tab), "idle");
      await tab.reload();
      await live(tab);
      await runCode(tab, "print(kept)");
      assert.equal(await idle(tab), "idle", await status(tab));
      assert.equal(
        (await cells(tab).first().locator(".lab-live-yours").innerText()).trim(),
        "still here",
      );
      assert.equal((await book.kernels()).length, 1);
    });
  });

  it("shows your number beside the book's", async () => {
    await open(PAGE, async (tab) => {
      const { cells: all, glued } = JSON.parse(readFileSync(`${site}/_live/${PAGE}.json`));
      assert.ok(all.length > 0);
      const [name] = glued;
      const number = tab.locator("article .pasted-text").first();
      const book = await number.textContent();
      await runCode(tab, `import lab\nlab.glue(${JSON.stringify(name)}, "it's “12.5 µs”")`);
      await idle(tab);
      assert.equal(await number.textContent(), `it's “12.5 µs” (book: ${book})`);
      await runCode(tab, `lab.glue(${JSON.stringify(name)}, ${JSON.stringify(book)})`);
      await idle(tab);
      assert.equal(await number.textContent(), book);
    });
  });

  it("offers to run what stands before a cell, and only it", async () => {
    await open(PAGE, async (tab) => {
      const third = await unfolded(cells(tab).nth(2));
      await third.locator(".lab-live-run").click();
      await third.getByText(/may need what 2 cells before it make/).waitFor();
      await at(third, "Cancel").click();
      assert.equal(await third.locator(".lab-live-offer").isVisible(), false);
      assert.deepEqual(await book.kernels(), []);
      await write(tab, third, "print('alone')");
      await run(tab, third, { all: false });
      assert.match(await third.locator(".lab-live-yours").innerText(), /alone/);
      assert.equal(await cells(tab).first().locator(".lab-live-yours").count(), 0);
    });
  });

  it("marks what was edited, and resets it", async () => {
    await open(PAGE, async (tab) => {
      const cell = cells(tab).first();
      await at(cell, /^Edit/).click();
      const editor = cell.locator(".cm-content");
      await editor.waitFor();
      const book = await editor.innerText();
      assert.equal(await cell.locator(".cm-changedLine").count(), 0);
      await tab.keyboard.press("Control+End");
      await tab.keyboard.type("\nprint('mine')");
      assert.equal((await cell.locator(".cm-changedLine").count()) > 0, true);
      assert.equal(await cell.locator(".lab-live-said").textContent(), "edited");
      await at(cell, /^Reset/).click();
      assert.equal(await cell.locator(".cm-changedLine").count(), 0);
      assert.equal(await editor.innerText(), book);
      await tab.keyboard.press("Tab");
      await at(cell, /^(Edit|Close)/).click();
      assert.equal(await cell.locator(".cm-editor").count(), 0);
      assert.equal(await cell.locator(".cell_input .highlight").first().isVisible(), true);
    });
  });

  it("a server that is edited shows what differs, runs, and its figures stand beside the book's until all is discarded", async () => {
    await open(PAGE, async (tab) => {
      const before = await article(tab);
      await write(tab, cells(tab).first(), "import lab");
      await run(tab, cells(tab).first());
      const server = cells(tab).filter({ hasText: "%%server" });
      await at(server, /^Edit/).click();
      const editor = server.locator(".cm-content");
      await editor.waitFor();
      const { cells: allCells } = JSON.parse(readFileSync(`${site}/_live/${PAGE}.json`));
      const { source } = allCells.find((one) => one.source.startsWith("%%server"));
      const place = allCells.findIndex((one) => one.source === source);
      await write(tab, server, source.replace("end(content)", "end(content.toString())"));
      assert.equal(
        await server.locator(".cm-changedLine").innerText(),
        "  response.end(content.toString());",
      );
      assert.match(
        await server.locator(".cm-deletedChunk").innerText(),
        /response\.end\(content\);/,
      );
      await run(tab, server, { all: false });
      assert.equal(await idle(tab), "idle", await status(tab));
      assert.match(await server.locator(".lab-live-said").textContent(), /^Your edit, yours, /);
      // The two that start it, load it beside the published one, and draw what came.
      assert.match(allCells[place + 2].source, /lab\.vary/);
      const [asks, draws] = ["def sent(what, experiment)", '"files-mine", sent'].map((hasText) =>
        cells(tab).filter({ hasText }),
      );
      await run(tab, asks, { all: false });
      await run(tab, draws, { all: false });
      assert.equal(await idle(tab, 120), "idle", await status(tab));
      const yours = draws.locator(".lab-live-yours lab-vary");
      await yours.waitFor();
      await at(draws, "Show the book's").click();
      const book = draws.locator(".lab-live-beside lab-vary");
      await book.waitFor();
      const figures = (of) => of.evaluate((one) => (one.shadowRoot ?? one).textContent);
      assert.match(await figures(yours), /\d/);
      await yours.getByText("measured here", { exact: true }).waitFor();
      assert.equal(await rows(yours.locator(".chosen .what > span")), 1, "a word is broken");
      assert.notEqual(await figures(yours), await figures(book));
      await discard(tab);
      assert.equal(await article(tab), before);
      assert.equal(await server.locator(".cm-editor, .lab-live-listing").count(), 0);
    });
  });

  it("all of it can be done with the keyboard", async () => {
    await open(PAGE, async (tab) => {
      const cell = cells(tab).first();
      await at(cell, /^Edit/).focus();
      await tab.keyboard.press("Enter");
      await cell.locator(".cm-focused").waitFor();
      await tab.keyboard.press("Control+A");
      await tab.keyboard.insertText("print(6 * 7)");
      await tab.keyboard.press("Control+Enter");
      await idle(tab);
      assert.match(await cell.locator(".lab-live-yours").innerText(), /42/);
      await tab.keyboard.press("Escape");
      const focusedText = () => tab.evaluate(() => document.activeElement.textContent);
      assert.equal(await focusedText(), "Edit");
      await tab.keyboard.press("Enter");
      await cell.locator(".cm-focused").waitFor();
      await tab.keyboard.press("Tab"); // leaves the editor: it is no trap
      assert.match(await focusedText(), /^Run/);
    });
  });

  it("an error is shown, and stops what would come after it", async () => {
    await open(PAGE, async (tab) => {
      const [first, second] = [cells(tab).first(), cells(tab).nth(1)];
      await write(tab, second, "print('later')");
      await write(tab, first, "1 / 0");
      await run(tab, second);
      assert.match(await first.locator(".lab-live-error").innerText(), /^\s*ZeroDivisionError/);
      assert.equal(await second.locator(".lab-live-yours").count(), 0);
      assert.equal(
        await status(tab),
        "Cell 1 stopped with an error, so the cells after it have not run.",
      );
    });
  });

  it("what runs can be interrupted, in both languages", async () => {
    for (const [page, code] of [
      [PAGE, "import time\nprint('begun', flush=True)\ntime.sleep(600)"],
      [SCRIPT, "console.log('begun');\nawait new Promise((done) => setTimeout(done, 600_000));"],
    ])
      await open(page, async (tab) => {
        const cell = await runCode(tab, code);
        await cell.getByText("begun", { exact: true }).last().waitFor();
        await at(cell, /^Interrupt/).click();
        await idle(tab);
        assert.match(await status(tab), /^(Interrupted\.|Cell 1 stopped)/);
        await runCode(tab, page === PAGE ? "print('goes on')" : "console.log('goes on')");
        await idle(tab);
        assert.match(await cell.locator(".lab-live-yours").innerText(), /goes on/);
      });
  });

  it("output replaces itself, and is cleared, as in a notebook", async () => {
    await open(PAGE, async (tab) => {
      const cell = await runCode(
        tab,
        `from IPython.display import HTML, clear_output, display
print("first")
clear_output()
bar = display(HTML("<b>half</b>"), display_id=True)
bar.update(HTML("<b>whole</b>"))
print("10 %\\r20 %")
`,
      );
      await idle(tab);
      const text = await cell.locator(".lab-live-yours").innerText();
      assert.match(text, /whole/);
      assert.match(text, /20 %/);
      assert.doesNotMatch(text, /first|half|10 %/);
    });
  });

  it("a component that the page had no need of comes with its script", async () => {
    const html = readFileSync(`${site}/${PAGE}.html`, "utf8");
    assert.doesNotMatch(html, /_static\/explore\.js/);
    await open(PAGE, async (tab) => {
      await runCode(tab, "from IPython.display import HTML\nHTML('<lab-explore></lab-explore>')");
      await idle(tab);
      await tab.waitForFunction(() => customElements.get("lab-explore"));
    });
  });
});

describe("the reader's results", () => {
  it("are shown beside the book's at a press, or why there are none", async () => {
    await open("book/yours", async (tab) => {
      const press = tab.getByRole("button", { name: "Show what was measured here" });
      await press.click();
      await tab.getByText(/LAB_PROFILE=smoke, nothing is measured on this machine/).waitFor();
      const file = JSON.parse(readFileSync(`${ROOT}/data/book-results.json`));
      const mine = { ...file, mode: "live", made: "2026-01-02" };
      await tab.route("**/_live/my-results.json", (route) => route.fulfill({ json: mine }));
      await press.click();
      await tab.getByText(/^my-results\.json: /).waitFor();
      assert.ok((await tab.locator('td[data-same="yes"]').count()) > 5);
    });
  });

  it("are what the book's own cells judge: what an edited one leaves in the kernel is none", async () => {
    await open(PAGE, async (tab) => {
      const posts = [];
      tab.on("request", (request) => {
        if (request.url().includes("/_live/ran")) posts.push(request.postDataJSON().own);
      });
      await run(tab, cells(tab).first());
      await write(tab, cells(tab).first(), "import lab");
      await run(tab, cells(tab).first());
      assert.deepEqual(posts, [true, false]);
    });
  });
});

describe("when something is gone", () => {
  it("a kernel that dies is one line, and the next run starts another", async () => {
    for (const [page, code] of [
      [PAGE, "import os\nos._exit(1)"],
      [SCRIPT, "process.kill(process.ppid, 'SIGKILL');\nawait new Promise(() => {});"],
    ])
      await open(page, async (tab) => {
        const cell = await runCode(tab, code);
        await idle(tab);
        assert.match(await status(tab), /^The kernel has ended/);
        await runCode(tab, page === PAGE ? "print('again')" : "console.log('again')");
        assert.equal(await idle(tab), "idle", await status(tab));
        assert.match(await cell.locator(".lab-live-yours").innerText(), /again/);
      });
  });

  it("a second tab is told, may take the page over, and the first is told then", async () => {
    await open(PAGE, async (tab) => {
      await runCode(tab, "print('one')");
      await idle(tab);
      const second = await tab.context().newPage();
      await second.goto(book.page(PAGE));
      await live(second);
      await runCode(second, "print('two')");
      await idle(second);
      assert.match(
        await status(second),
        /^This page runs in another tab \(Chrome, since \d\d:\d\d/,
      );
      await second.getByRole("button", { name: "Run it here instead" }).click();
      await idle(second);
      await second.waitForFunction(() => document.body.innerText.includes("two"));
      await tab.waitForFunction(
        () => document.getElementById("lab-live").dataset.state === "fault",
      );
      assert.match(await status(tab), /^Another tab runs this page now \(Chrome, since \d\d:\d\d/);
      assert.equal((await book.kernels()).length, 1);
      await second.close();
    });
  });

  it("when the other tab is closed, the page runs here, and offers no more to take it over", async () => {
    await open(PAGE, async (tab) => {
      const first = await tab.context().newPage();
      await first.goto(book.page(PAGE));
      await live(first);
      await runCode(first, "print('one')");
      await idle(first);
      await runCode(tab, "print('two')");
      await idle(tab);
      const take = tab.getByRole("button", { name: "Run it here instead" });
      assert.equal(await take.isVisible(), true);
      await first.close();
      const connected = async () => (await book.kernels()).some((one) => one.connections > 0);
      for (let i = 0; i < 600 && (await connected()); i++) await tab.waitForTimeout(100);
      await cells(tab).first().locator(".lab-live-run").click();
      assert.equal(await idle(tab), "idle", await status(tab));
      assert.equal(await take.isVisible(), false);
    });
  });

  it("a kernel that ends between two cells is one line, and no error of the page's own", async () => {
    await open(PAGE, async (tab) => {
      const [first, second] = [cells(tab).first(), cells(tab).nth(1)];
      await write(tab, second, "print('later')");
      await write(
        tab,
        first,
        "import os, threading\nthreading.Timer(0.001, os._exit, [1]).start()",
      );
      await run(tab, second);
      assert.match(await status(tab), /^The kernel has ended/);
    });
  });

  it("a kernel that does not survive its start is followed by another", async () => {
    // As one does whose port was taken by somebody else in the moment before it listened.
    const folder = mkdtempSync(join(tmpdir(), "lab-dies-"));
    const flagFile = join(folder, "died");
    writeFileSync(
      join(folder, "sitecustomize.py"),
      `import os, sys
if any("ipykernel" in word for word in sys.orig_argv) and not os.path.exists(${JSON.stringify(flagFile)}):
    open(${JSON.stringify(flagFile)}, "w").close()
    os._exit(1)
`,
    );
    const secondBook = await startBook({ env: { PYTHONPATH: folder } });
    try {
      await open(
        PAGE,
        async (tab) => {
          const cell = await runCode(tab, "print('alive')");
          await idle(tab, 40);
          assert.ok(existsSync(flagFile));
          assert.match(await cell.locator(".lab-live-yours").textContent(), /alive/);
        },
        { on: secondBook },
      );
    } finally {
      await secondBook.stop();
      rmSync(folder, { recursive: true });
    }
  });

  it("a reader who is signed out is told how to come back", async () => {
    await open(PAGE, async (tab) => {
      await tab.context().clearCookies();
      await run(tab, cells(tab).first());
      assert.match(await status(tab), /^The server no longer recognises you/);
      assert.deepEqual(await book.kernels(), []);
      await tab.reload(); // leads to where one signs in
      await tab.goto(book.page(PAGE));
      await live(tab);
      await runCode(tab, "print('back')");
      await idle(tab);
      await tab.context().clearCookies(); // with a kernel that runs
      await tab.waitForFunction(() =>
        /^The server no longer recognises you/.test(
          document.querySelector(".lab-live-status").textContent,
        ),
      );
    });
  });

  const skip = !existsSync("/proc/self/task"); // Linux says which processes are whose
  it("a tab that is closed in the middle of a comparison leaves nothing that runs", {
    skip,
  }, async () => {
    const secondBook = await startBook({ env: { LAB_LIVE_AWAY_S: "1" } });
    try {
      await open(
        PAGE,
        async (tab) => {
          await runCode(tab, COMPARE);
          const measured = () => below(secondBook.pid).some((pid) => /read-sync/.test(words(pid)));
          for (let i = 0; i < 3000 && !measured(); i++) await tab.waitForTimeout(100);
          const family = below(secondBook.pid);
          assert.ok(measured());
          await tab.close();
          await gone(family, 120);
          // The server takes it off its list when it has seen that end.
          for (let i = 0; i < 1200 && (await secondBook.kernels()).length > 0; i++)
            await new Promise((later) => setTimeout(later, 100));
          assert.deepEqual(await secondBook.kernels(), []);
        },
        { on: secondBook },
      );
    } finally {
      await secondBook.stop();
    }
  });

  it("a server that is gone is one line, before a run and in the middle of one; nothing is left", async () => {
    for (const during of [false, true]) {
      const secondBook = await startBook();
      await open(
        PAGE,
        async (tab) => {
          const code = "import os\nprint(os.getpid(), flush=True)";
          const cell = await runCode(tab, `${code}\nimport time\ntime.sleep(${during ? 600 : 0})`);
          await cell.locator(".lab-live-yours pre").waitFor();
          const kernel = Number(await cell.locator(".lab-live-yours pre").innerText());
          assert.ok(kernel > 1);
          if (!during) await idle(tab);
          await secondBook.stop("SIGKILL");
          if (!during) await runCode(tab, "print(2)");
          await tab.waitForFunction(() =>
            /^The server does not respond/.test(
              document.querySelector(".lab-live-status").textContent,
            ),
          );
          await idle(tab);
          await gone([kernel]);
          // What was there is still to be read.
          assert.ok((await article(tab)).length > 5000);
        },
        { on: secondBook },
      );
    }
  });
});

describe("nobody else", () => {
  it("an address cannot make a page run anything", async () => {
    for (const end of [
      "#import%20os;os.abort()",
      "#run",
      "#run=all",
      "#<img src=x onerror=fetch('/api/kernels',{method:'POST'})>",
      "#lab-live",
    ])
      await open(
        PAGE,
        async (tab, seen) => {
          await tab.waitForTimeout(300);
          assert.deepEqual(await book.kernels(), []);
          assert.ok(!seen.asked.some((url) => /api\/kernels|_live\/run/.test(url)));
        },
        { address: `${book.page(PAGE)}&run=1&code=1%2B1${end}` },
      );
  });

  it("a foreign page cannot run, read or frame one, although its reader is signed in", async () => {
    const html = `<!doctype html><meta charset="utf-8"><title>foreign</title>
      <form id="f" method="post" enctype="text/plain" target="t" action="${book.url}book/_live/run">
      <input name='{"page":"${PAGE}","tab":"' value='x"}'></form><iframe name="t"></iframe>
      <iframe id="frame" src="${book.url}book/${PAGE}.html"></iframe>`;
    const foreign = createServer((_, response) =>
      response.writeHead(200, { "content-type": "text/html" }).end(html),
    );
    await new Promise((ready) => foreign.listen(0, "localhost", ready));
    try {
      await open(PAGE, async (tab) => {
        const foreignTab = await tab.context().newPage();
        await foreignTab.goto(`http://localhost:${foreign.address().port}/`);
        const statuses = await foreignTab.evaluate(
          async ([url, page]) => {
            document.getElementById("f").submit();
            const statusesInPage = [];
            for (const [path, init] of [
              ["book/_live/run", { method: "POST", body: JSON.stringify({ page, tab: "x" }) }],
              ["api/kernels", { method: "POST", body: "{}" }],
              ["api/kernels", {}],
              [`book/${page}.html`, {}],
            ])
              for (const mode of ["cors", "no-cors"])
                try {
                  const response = await fetch(url + path, {
                    ...init,
                    mode,
                    credentials: "include",
                  });
                  statusesInPage.push(response.type === "opaque" ? "opaque" : response.status);
                } catch {
                  statusesInPage.push("refused");
                }
            const socket = new WebSocket(`${url.replace("http", "ws")}api/kernels/x/channels`);
            statusesInPage.push(
              await new Promise((done) => {
                socket.onopen = () => done("open");
                socket.onerror = () => done("refused");
              }),
            );
            return statusesInPage;
          },
          [book.url, PAGE],
        );
        await foreignTab.waitForTimeout(500);
        assert.ok(
          !statuses.includes(200) && !statuses.includes(201) && !statuses.includes("open"),
          String(statuses),
        );
        assert.deepEqual(await book.kernels(), []);
        for (const frame of foreignTab.frames().slice(1))
          assert.equal(
            await frame
              .locator("article")
              .count()
              .catch(() => 0),
            0,
          );
      });
    } finally {
      foreign.closeAllConnections();
      foreign.close();
    }
  });

  for (const name of ["127.0.0.1", "localhost"])
    it(`a page of another server, ${name} at another port, that pretends to be live runs nothing where its reader is signed in`, async () => {
      const folder = mkdtempSync(join(tmpdir(), "lab-pretends-"));
      const stolen = join(folder, "stolen");
      try {
        await open(PAGE, async (tab) => {
          await runCode(tab, "print('mine')");
          await idle(tab);
          const [{ id: kernel }] = await book.kernels();
          const host = await pretender({ kernel, code: `open(${JSON.stringify(stolen)}, "w")` });
          try {
            const foreignTab = await tab.context().newPage();
            await foreignTab.goto(`http://${name}:${host.address().port}/book/${PAGE}.html`);
            await live(foreignTab);
            await cells(foreignTab).first().locator(".lab-live-run").click();
            assert.equal(await idle(foreignTab, 150), "fault", await status(foreignTab));
            // Without the live part's own care: with the kernel's name, and the cookie that scripts can read.
            const got = await foreignTab.evaluate(triesToRun, [book.url, kernel, PAGE]);
            assert.deepEqual(got.slice(0, 3), ["refused", "refused", "refused"]);
            assert.equal(got[3], name === "127.0.0.1"); // of a host, not of a port
            await foreignTab.close();
          } finally {
            host.closeAllConnections();
            host.close();
          }
          await runCode(tab, "print('still mine')");
          assert.equal(await idle(tab), "idle", await status(tab));
          assert.equal(existsSync(stolen), false);
          assert.deepEqual(
            (await book.kernels()).map((one) => one.id),
            [kernel],
          );
        });
      } finally {
        rmSync(folder, { recursive: true });
      }
    });

  it("what a cell shows runs nothing in the page", async () => {
    await open(PAGE, async (tab) => {
      const cell = await runCode(
        tab,
        `from IPython.display import HTML, Javascript, display
bad = "globalThis.ran = (globalThis.ran || 0) + 1"
display(HTML(f"<script>{bad}</script><img src=x onerror='{bad}'><svg onload='{bad}'></svg>"))
display(HTML(f"<a id='bad' href='javascript:{bad}'>x</a><iframe srcdoc='<script>parent.{bad}</script>'></iframe>"))
display(HTML("<form action='/api/kernels' method='post' id='out'></form>"))
display(Javascript(bad))
print("<script>shown</script>")
`,
      );
      await idle(tab);
      await cell.locator("#bad").click();
      await tab.waitForTimeout(300);
      assert.equal(await tab.evaluate(() => globalThis.ran), undefined);
      assert.match(await cell.locator(".lab-live-yours").innerText(), /<script>shown<\/script>/);
      assert.equal((await book.kernels()).length, 1);
    });
  });

  it("a page from a static host is none, and asks for nothing of it", async () => {
    const host = await serve(site, { below: "/book/" });
    try {
      const tab = await browser.newPage();
      const asked = [];
      tab.on("request", (request) => asked.push(request.url()));
      await tab.goto(`${host.url}${PAGE}.html`, { waitUntil: "networkidle" });
      assert.ok(asked.length > 5);
      assert.ok(!asked.some((url) => /_live|api\//.test(url)));
      assert.equal(await tab.locator(".lab-live-bar, .lab-live-page").count(), 0);
      await tab.close();
    } finally {
      await host.close();
    }
  });
});

describe("its weight and its looks", () => {
  it("is at most 260 KiB, and the editor comes with the first Edit", async () => {
    await open(PAGE, async (tab, seen) => {
      const code = () => seen.asked.filter((url) => url.includes("_live/code/"));
      assert.ok(code().length >= 2);
      assert.doesNotMatch(String(code()), /kernel-|editor-/); // those come when they are needed
      await runCode(tab, "1");
      await idle(tab);
      const { gzipSync } = await import("node:zlib");
      let bytes = 0;
      for (const url of new Set(code())) {
        const response = await tab.request.get(url);
        assert.equal(response.status(), 200);
        bytes += gzipSync(await response.body(), { level: 9 }).length;
      }
      assert.ok(new Set(code()).size >= 4);
      assert.ok(bytes <= 260 * 1024, `${bytes} bytes`);
    });
  });

  it("nothing that has the focus is behind the bar, on a phone where it has three lines", async () => {
    await open(
      PAGE,
      async (tab) => {
        await runCode(tab, "import lab\n1 / 0");
        await idle(tab);
        await cells(tab).first().locator(".lab-live-run").focus();
        const coveredNames = [];
        for (let i = 0; i < 40; i++) {
          await tab.keyboard.press("Tab");
          coveredNames.push(
            await tab.evaluate(() => {
              const [bar, focusedElement] = [
                document.querySelector(".lab-live-page"),
                document.activeElement,
              ];
              // What is as large as the window shows its beginning.
              const { top } = focusedElement.getBoundingClientRect();
              const bottom = Math.min(focusedElement.getBoundingClientRect().bottom, top + 40);
              const behind = bottom > bar.getBoundingClientRect().top + 1 && top < innerHeight;
              return !bar.contains(focusedElement) && behind
                ? focusedElement.outerHTML.slice(0, 200)
                : "";
            }),
          );
        }
        assert.deepEqual(coveredNames.filter(Boolean), []);
      },
      { options: { viewport: { width: 360, height: 640 } } },
    );
  });

  for (const colorScheme of ["light", "dark"])
    for (const width of [360, 1280])
      it(`breaks no rule of axe and scrolls not sideways: ${width} px, ${colorScheme}`, async () => {
        const options = { colorScheme, viewport: { width, height: 800 }, bypassCSP: true };
        await open(
          PAGE,
          async (tab) => {
            await runCode(tab, "import lab\nprint('x')\n1 / 0");
            await idle(tab);
            const server = cells(tab).filter({ hasText: "%%server" });
            await write(tab, server, "%%server node/read-mine\nconst x = 1; // mine\nf('x', 2);");
            const offered = await unfolded(cells(tab).nth(2));
            await offered.locator(".lab-live-run").click();
            await offered.locator(".lab-live-offer").waitFor();
            await tab.evaluate(AXE);
            const found = await tab.evaluate(() => globalThis.axe.run(document));
            const told = found.violations.map((one) => [
              one.id,
              one.nodes.map((node) => node.html),
            ]);
            assert.deepEqual(told, []);
            const wide = await tab.evaluate(
              () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
            );
            assert.ok(wide <= 0, `${wide} px too wide`);
          },
          { options },
        );
      });
});
