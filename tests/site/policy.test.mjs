// The content security policy that every page brings along: what it stops, and what it must not stop.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { siteFolder, visit } from "./browser.mjs";
import { session } from "./session.mjs";

const site = siteFolder();
const onDisk = `${pathToFileURL(site).href}/`;
const names = readdirSync(site, { recursive: true })
  .map((name) => name.replaceAll("\\", "/"))
  .filter((name) => name.endsWith(".html") && !name.startsWith("_"))
  .sort();
const phases = names.find((name) => name.endsWith("event-loop/phases.html"));
// The others are opened from disk by pages.test.mjs and from a host by weight.test.mjs: what a policy stops is an error.
const KINDS = /^(index|404|search)\.html$|(phases|what-if|yours|verdicts|glossary)\.html$/;
const own = session({ site });
const ends = [
  ["from disk", () => onDisk],
  ["from a host", () => own.host.url],
];

const policyOf = (html) =>
  [...html.matchAll(/<meta http-equiv="Content-Security-Policy" content="([^"]+)">/g)].map((m) =>
    Object.fromEntries(
      m[1].split("; ").map((directive) => {
        const [name, ...sources] = directive.split(" ");
        return [name, sources];
      }),
    ),
  );

/** `use(tab)` on a page that keeps in `stopped` what its policy stopped. */
async function open(url, use) {
  await own.open("about:blank", async (tab, seen) => {
    await tab.addInitScript(() => {
      globalThis.stopped = [];
      addEventListener("securitypolicyviolation", (event) =>
        globalThis.stopped.push(`${event.effectiveDirective} ${event.blockedURI}`),
      );
    });
    await visit(tab, url);
    await use(tab, seen);
  });
}

const stopped = (tab) => tab.evaluate(() => globalThis.stopped);

describe("in the file", () => {
  for (const name of names) {
    it(`${name} has one, before all that it rules`, () => {
      const html = readFileSync(join(site, name), "utf8");
      const policies = policyOf(html);
      assert.equal(policies.length, 1);
      const at = html.indexOf("Content-Security-Policy");
      assert.ok(at < html.search(/<(script|link|style|img|title)\b/));
      const [policy] = policies;
      assert.deepEqual(policy["default-src"], ["'none'"]);
      for (const [directive, sources] of Object.entries(policy))
        for (const source of sources) {
          const isAllowed =
            ["'none'", "'self'"].includes(source) ||
            (directive === "script-src" && /^'sha256-[\w+/]{43}='$/.test(source)) ||
            `${directive} ${source}` === "style-src 'unsafe-inline'" ||
            `${directive} ${source}` === "img-src data:";
          assert.ok(isAllowed, `${directive} ${source}`);
        }
      assert.ok(policy["script-src"].length <= 8, "so many scripts stand in the page");
      assert.doesNotMatch(html, /<[^>]+\son\w+="/, "a handler stands in the page");
    });
  }
});

for (const [where, base] of ends) {
  describe(where, () => {
    it("it stops nothing of ours on any kind of page", async () => {
      for (const name of names.filter((one) => KINDS.test(one)))
        await open(base() + name, async (tab) => {
          if (name === "index.html") await tab.waitForURL(/book\/index\.html$/);
          await tab.evaluate(() => scrollTo(0, document.body.scrollHeight));
          await tab.waitForTimeout(100);
          assert.deepEqual(await stopped(tab), [], name);
        });
    });

    it("a page prints, changes its colours, plays a replay and searches", async () => {
      await open(base() + phases, async (tab, seen) => {
        await tab.evaluate(() => {
          globalThis.print = () => {
            globalThis.printed = true;
          };
        });
        await tab.getByRole("button", { name: "Download this page" }).click();
        await tab.getByRole("button", { name: /^Print/ }).click();
        assert.equal(await tab.evaluate(() => globalThis.printed), true);
        const mode = () => tab.locator("html").getAttribute("data-mode");
        const before = await mode();
        await tab.locator(".theme-switch-button").first().click();
        assert.notEqual(await mode(), before);
        assert.ok(
          await tab
            .locator("loop-replay")
            .first()
            .evaluate((e) => e.shadowRoot !== null),
        );
        await tab.goto(`${base()}search.html?q=loop`);
        await tab.locator("#search-results li a").first().waitFor();
        await tab.getByText(/found for “loop”/).waitFor();
        assert.deepEqual(await stopped(tab), []);
        assert.deepEqual(seen.errors, []);
      });
    });

    it("nothing that is put into a page runs, or asks another host", async () => {
      const urls = [];
      const host = createServer((request, response) => {
        urls.push(request.url);
        response.end();
      });
      host.on("upgrade", (request, socket) => {
        urls.push(request.url);
        socket.destroy();
      });
      await new Promise((ready) => host.listen(0, "127.0.0.1", ready));
      const foreignUrl = `http://127.0.0.1:${host.address().port}/`;
      await open(base() + phases, async (tab) => {
        await tab.evaluate((other) => {
          const ran = (how) => `(globalThis.ran ??= []).push("${how}")`;
          const holder = document.createElement("div");
          document.querySelector("article").append(holder);
          holder.innerHTML = `<img src="nowhere.png" onerror='${ran("onerror")}'>
            <svg onload='${ran("onload")}'></svg>
            <a id="bad" href='javascript:${ran("address")}'>x</a>
            <iframe srcdoc="<script>parent.${ran("srcdoc").replaceAll('"', "&quot;")}</script>"></iframe>
            <iframe src="${other}"></iframe><object data="${other}"></object>
            <img src="${other}i.png"><link rel="stylesheet" href="${other}s.css">
            <video src="${other}v.mp4"></video><form id="out" action="${other}"></form>`;
          const script = (fields) =>
            holder.append(Object.assign(document.createElement("script"), fields));
          script({ textContent: ran("inline") });
          script({ src: `${other}x.js` });
          script({ src: `data:text/javascript,${ran("data")}` });
          script({ src: URL.createObjectURL(new Blob([ran("blob")])) });
          const style = document.createElement("style");
          style.textContent = `@import "${other}i.css"; body { background: url(${other}b.png) }`;
          holder.append(style);
          holder.querySelector("#bad").click();
          holder.querySelector("#out").submit();
          fetch(other).catch(() => {});
          navigator.sendBeacon(other, "x");
          for (const open of [
            () => new WebSocket(other.replace("http", "ws")),
            () => new EventSource(other),
            () => new Worker(URL.createObjectURL(new Blob(["postMessage(1)"]))),
            // biome-ignore lint/security/noGlobalEval: it has to be refused
            () => globalThis.eval(ran("eval")),
            () => new Function(ran("Function"))(),
          ])
            setTimeout(open); // by itself: for as long as this one lasts the browser lets us evaluate
          document.head.prepend(Object.assign(document.createElement("base"), { href: other }));
        }, foreignUrl);
        await tab.waitForTimeout(500);
        assert.equal(await tab.evaluate(() => globalThis.ran), undefined);
        assert.ok(tab.url().startsWith(base()), tab.url());
        assert.deepEqual(urls, []);
        const rules = new Set((await stopped(tab)).map((one) => one.split(" ")[0]));
        for (const rule of [
          ...["script-src-elem", "script-src-attr", "script-src", "connect-src", "img-src"],
          ...["style-src-elem", "frame-src", "media-src", "form-action", "base-uri", "worker-src"],
        ])
          assert.ok(rules.has(rule), `${rule} stopped nothing: ${[...rules]}`);
      });
      host.closeAllConnections();
      host.close();
    });
  });
}

it("a page may talk to whoever served it, and to no other port", async () => {
  await open(own.host.url + phases, async (tab) => {
    const talk = (port) =>
      tab.evaluate(async (at) => {
        const before = globalThis.stopped.length;
        const host = `${location.hostname}:${at ?? location.port}`;
        const socket = new WebSocket(`ws://${host}/api/kernels`);
        await new Promise((over) => socket.addEventListener("error", over));
        await fetch(`http://${host}/api/status`).catch(() => {});
        return globalThis.stopped.length - before;
      }, port);
    assert.equal(await talk(), 0);
    assert.ok((await talk(9)) > 0);
  });
});
