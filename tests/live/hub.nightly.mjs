// The book in a real JupyterHub, behind its proxy and below a reader's prefix: `make hub`.

import assert from "node:assert/strict";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { launch } from "../site/browser.mjs";
import { signedIn, signIn, startHub } from "./hub.mjs";
import { at, cells, idle, live, run, status } from "./jupyter.mjs";

const PAGES = ["book/blocking/sync-or-async-files", "book/event-loop/phases"];
const WAITING =
  /^Waiting: ((ann|ben|cid) \(.*\)|another process) is measuring and two simultaneous measurements would disturb each other\./;

let browser;
let hub;

before(async () => {
  browser = await launch();
  hub = await startHub({
    students: ["ann", "ben", "cid"],
    instructors: ["grace"],
    env: { LAB_PROFILE: "smoke" },
  });
});

after(async () => {
  await browser?.close();
  await hub?.stop();
});

describe("in a hub", () => {
  it("a reader signs in and is in the book; its cells run below the reader's prefix", async () => {
    await signedIn(browser, hub, "ann", async (tab, base) => {
      for (const page of PAGES) {
        await tab.goto(`${base}book/${page}.html`);
        await live(tab);
        const cell = cells(tab).first();
        await run(tab, cell);
        await cell.locator(".lab-live-yours").first().waitFor();
        assert.equal(await idle(tab), "idle", await status(tab));
        await at(cell, /^(Edit|Code)/).click();
        await cell.locator(".cm-content").waitFor();
      }
      const lab = tab.locator(".lab-live-page a");
      assert.equal(await lab.getAttribute("href"), `${base}lab/tree/${PAGES.at(-1)}.md`);
      const chapter = await tab.request.get(`${base}api/contents/${PAGES.at(-1)}.md?content=0`);
      assert.equal(chapter.status(), 200, "JupyterLab shows the chapter in the student's home");
    });
  });

  it("a server that was stopped says what to do on a hub", async () => {
    await signedIn(browser, hub, "cid", async (tab, base) => {
      await tab.goto(`${base}book/${PAGES[0]}.html`);
      await live(tab);
      // As when nobody was there for an hour.
      await tab.route(/\/_live\/run(\?|$)/, (route) => route.abort()); // asked with a number that no cache knows
      await cells(tab).first().locator(".lab-live-run").click();
      assert.equal(await idle(tab), "fault");
      assert.match(
        await status(tab),
        /^The server does not respond\. Load this page again and let/,
      );
    });
  });

  it("nobody reads or runs another's", async () => {
    await signedIn(browser, hub, "ben", async (tab) => {
      const other = `${hub.url}user/ann/book/${PAGES[0]}.html`;
      const answer = await tab.goto(other);
      assert.equal(await tab.locator("#lab-live").count(), 0);
      assert.ok(
        answer.status() >= 400 || !tab.url().startsWith(`${hub.url}user/ann/book`),
        tab.url(),
      );
      const posted = await tab.request.post(`${hub.url}user/ann/book/_live/run`, {
        data: { page: PAGES[0], tab: "x" },
        maxRedirects: 0,
      });
      assert.ok(posted.status() >= 300, String(posted.status()));
    });
  });

  it("those who press Run at once measure in turn, see who has the machine, and keep their own results", async () => {
    const sessions = await Promise.all(
      ["ann", "ben", "cid"].map((name) => signIn(browser, hub, name)),
    );
    const texts = new Set();
    try {
      await Promise.all(
        sessions.map(async ({ tab, base }) => {
          await tab.goto(`${base}book/${PAGES[0]}.html`);
          await live(tab);
          await tab.exposeFunction("labSaid", (text) => texts.add(text));
          await tab.evaluate(() => {
            new MutationObserver(() => {
              for (const one of document.querySelectorAll(".lab-waiting"))
                globalThis.labSaid(one.textContent);
            }).observe(document.body, { childList: true, subtree: true });
          });
        }),
      );
      // Every cell of the page, so that all three measure at some time.
      await Promise.all(
        sessions.map(async ({ tab }) => {
          await run(tab, cells(tab).last(), { seconds: 600 });
          assert.equal(await idle(tab), "idle", await status(tab));
          assert.equal(await tab.locator(".lab-waiting").count(), 0);
          assert.equal(await tab.locator(".lab-live-error").count(), 0);
        }),
      );
    } finally {
      await Promise.all(sessions.map(({ context }) => context.close()));
    }
    assert.ok(
      [...texts].some((text) => /^Waiting: (ann|ben|cid) /.test(text)),
      `nobody was told who measures: ${[...texts].join(" | ")}`,
    );
    for (const text of texts) assert.match(text, WAITING);
    for (const name of ["ann", "ben", "cid"]) {
      const runs = join(hub.folder, "home", name, ".course", "runs");
      assert.ok(readdirSync(runs).length > 3, `${name} keeps runs`);
      assert.equal(statSync(runs).mode & 0o77, 0);
    }
    assert.deepEqual(readdirSync(join(hub.folder, "queue")).sort(), ["door", "measuring.lock"]);
  });
});
