// What the browser of the tests does by itself: nothing that costs a page time.

import assert from "node:assert/strict";
import { test } from "node:test";
import { chromium } from "playwright-core";
import { launchOptions } from "./browser.mjs";
import { session } from "./session.mjs";

const own = session();

test("a window does not draw the pages of an address bar", async () => {
  const context = await own.browser.newContext();
  await context.newPage();
  const devtools = await own.browser.newBrowserCDPSession();
  const { targetInfos } = await devtools.send("Target.getTargets", { filter: [{}] });
  await context.close();
  const urls = targetInfos.map(({ url }) => url);
  assert.ok(urls.includes("about:blank"));
  assert.deepEqual(
    urls.filter((url) => url.includes("omnibox")),
    [],
  );
});

test("no process is started ahead for a page that nobody opens", async () => {
  const context = await own.browser.newContext();
  const tab = await context.newPage();
  await tab.goto("data:text/html,<title>open</title>");
  await tab.waitForTimeout(500); // it would be started once the page is there
  const devtools = await own.browser.newBrowserCDPSession();
  const { processInfo } = await devtools.send("SystemInfo.getProcessInfo");
  await context.close();
  assert.equal(processInfo.filter(({ type }) => type === "renderer").length, 1);
});

test("what Playwright turns off is turned off, although we name more", async () => {
  const server = await chromium.launchServer(launchOptions());
  const lists = server
    .process()
    .spawnargs.filter((word) => word.startsWith("--disable-features="))
    .map((word) => word.split("=")[1].split(","));
  await server.close();
  assert.equal(lists.length, 2);
  assert.deepEqual(
    lists[0].filter((feature) => !lists[1].includes(feature)),
    [],
  );
});
