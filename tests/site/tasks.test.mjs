// Exercises on their pages: the task is one click below its summary, and there at once for a reader who follows a link to it, who
// prints, or who has no script.

import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { siteFolder } from "./browser.mjs";
import { session } from "./session.mjs";

const own = session({ site: siteFolder() });
const page = pathToFileURL(join(siteFolder(), "book/clinic/the-clinic.html")).href;
const card = (tab) => tab.locator("#exercise-name-the-illness");
const task = (tab) => card(tab).locator(".task");

describe("the task of an exercise", () => {
  it("opens with the keyboard, below a summary that is seen", async () => {
    await own.clean(page, async (tab) => {
      assert.match(
        await card(tab).locator(".about").innerText(),
        /six problems and a healthy server/i,
      );
      assert.equal(await task(tab).isVisible(), false);
      await card(tab).getByText("The task, with an example").focus();
      await tab.keyboard.press("Enter");
      await task(tab).waitFor();
      assert.match(await task(tab).innerText(), /diagnose\(sheet\)/);
    });
  });

  it("is open where a link leads to the exercise, also from the same page", async () => {
    await own.clean(`${page}#exercise-name-the-illness`, async (tab) => {
      await task(tab).waitFor();
      assert.equal(await tab.locator("#exercise-cure-one .task").isVisible(), false);
      await tab.evaluate(() => location.assign("#exercise-cure-one"));
      await tab.locator("#exercise-cure-one .task").waitFor();
      await tab.evaluate(() => location.assign("#exercise-of-none"));
    });
  });

  it("opens for paper", async () => {
    await own.clean(page, async (tab) => {
      await tab.evaluate(() => dispatchEvent(new Event("beforeprint")));
      await task(tab).waitFor();
    });
  });

  it("opens without a script", async () => {
    const context = await own.browser.newContext({ javaScriptEnabled: false });
    const tab = await context.newPage();
    await tab.goto(page);
    await card(tab).getByText("The task, with an example").click();
    assert.ok(await task(tab).isVisible());
    await context.close();
  });
});
