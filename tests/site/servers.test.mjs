// "Change this server": a handler that a reader writes, with virtual clients, on a page of the tests' own.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { pageWith, STATIC } from "./components.mjs";
import { session } from "./session.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PYTHON = process.env.PYTHON ?? [join(ROOT, ".venv/bin/python")].find(existsSync) ?? "python3";
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core"), "utf8");
const AFTER_THE_PRESS = 470_000; // gzipped, of one Node
const PATIENCE = 300_000;
const PUT =
  "import sys; from pathlib import Path; from lab.simulator import bundle; bundle.put(Path(sys.argv[1]))";
execFileSync(PYTHON, ["-c", PUT, STATIC], { cwd: ROOT });
const [folder] = readdirSync(STATIC).filter((name) => name.startsWith("simulator-"));
const SERVERS = JSON.parse(readFileSync(join(ROOT, "lab/simulator/page/servers.json"), "utf8"));

const own = session({ folder: "servers", slower: 6 });
const page = (id, theme = "light") =>
  pageWith(own.folder, {
    name: `server-${id}`,
    theme,
    styles: [],
    scripts: ["change.js"],
    title: "A server",
    body: `<div class="lab-server-${id}"><p>You can change this server.</p></div>`,
  });

const panel = (tab) => {
  const box = tab.locator(".lab-serve");
  const finish = () =>
    tab.waitForFunction(
      () => {
        const { textContent: status } = document.querySelector(".lab-serve .status");
        const isWrong = document.querySelector(".lab-serve .complaint").childElementCount > 0;
        return isWrong || /^Model: .*\.$/.test(status);
      },
      null,
      { timeout: PATIENCE },
    );
  const run = async () => {
    await box.getByRole("button", { name: "Run", exact: true }).click();
    await finish();
  };
  const write = async (text) => {
    await box.locator(".cm-content").focus();
    await tab.keyboard.press("ControlOrMeta+a");
    await tab.keyboard.press("Delete");
    await tab.keyboard.insertText(text);
  };
  /** The figures of the table: {row: [model, measured]}. */
  const figures = async () => {
    const rows = await box
      .locator("tbody tr")
      .evaluateAll((list) => list.map((row) => [...row.children].map((cell) => cell.textContent)));
    return Object.fromEntries(
      rows.map(([says, ...values]) => [
        says,
        values.map((value) => Number(value.replace(",", ""))),
      ]),
    );
  };
  return {
    box,
    run,
    write,
    done: finish,
    figures,
    complaint: () => box.locator(".complaint").innerText(),
  };
};
async function changed(tab) {
  await tab.getByRole("button", { name: "Change this server" }).click();
  await tab.locator(".lab-serve .cm-content").waitFor();
  return panel(tab);
}
const server = (body) =>
  `createServer(async (request, response) => {\n  ${body}\n}).listen(3000);\n`;

describe("below the figure of a server", () => {
  it("a handler runs, is changed from the loop to the pool, and its clients wait less", async () => {
    await own.clean(page("sleep"), async (tab) => {
      const { run, write, figures, box } = await changed(tab);
      await run();
      const before = await figures();
      assert.ok(
        Math.abs(before["responses per second"][0] / before["responses per second"][1] - 1) < 0.1,
      );
      await write(server(`await hash(50);\n  response.end("Data response");`));
      await run();
      const after = await figures();
      assert.ok(after["responses per second"][0] > 1.7 * before["responses per second"][0]);
      assert.ok(after["99th percentile (ms)"][0] < 0.6 * before["99th percentile (ms)"][0]);
      assert.deepEqual(after["responses per second"][1], before["responses per second"][1]);
      assert.match(await box.locator(".causes").innerText(), /on a thread of the pool/);
    });
  });

  it("a setImmediate between slices lets Ben's ping in", async () => {
    await own.clean(page("ping"), async (tab) => {
      const { run, write, figures, box } = await changed(tab);
      await run();
      const first = "first wait (ms)";
      assert.ok((await figures())[first][0] > 395);
      // The one ping that waited is in the plot, too.
      assert.doesNotMatch(await box.locator(".served").innerText(), /No response/);
      await write(
        server(`if (request.url === "/ping") return response.end("pong");
  for (let i = 0; i < 100; i++) { hashFor(5); await new Promise(setImmediate); }
  response.end();`),
      );
      await run();
      assert.ok((await figures())[first][0] < 10);
    });
  });

  it("each server of the book runs as it stands, and its figures are near the measured ones", async () => {
    for (const { id, group, measured } of SERVERS)
      await own.clean(page(id), async (tab) => {
        const { run, figures, box } = await changed(tab);
        await run();
        const shown = await figures();
        const [ours, theirs] = group ? shown["first wait (ms)"] : shown["median wait (ms)"];
        assert.ok(
          ours / theirs > 0.35 && ours / theirs < 1.5,
          `${id}: ${ours}, measured ${theirs}`,
        );
        assert.match(await box.locator(".served").innerText(), new RegExp(measured.what));
        assert.match(await box.locator(".served").innerText(), /The model leaves out/);
      });
  });

  it("a handler that is wrong gives one sentence, and the line is marked", async () => {
    await own.clean(page("sleep"), async (tab) => {
      const { run, write, complaint, box } = await changed(tab);
      for (const [body, words] of [
        ["hashfor(5); response.end();", /threw in line 2.*hashfor is not defined/],
        ["busy('5'); response.end();", /give milliseconds from 0 to 60000/],
        ["response.json({});", /no response\.json/],
        ["request.socket.destroy();", /no request\.socket/],
        ["for (;;);", /stopped/],
        ["response.end(", /SyntaxError/],
      ]) {
        await write(server(body));
        await run();
        assert.match(await complaint(), words);
        assert.equal(await box.locator(".served").isVisible(), false);
      }
      assert.equal(await box.locator(".lab-ed-wrong").count(), 1);
      await write("const a = 1;");
      await run();
      assert.match(await complaint(), /makes no server/);
    });
  });

  it("clients that cannot be give one sentence, and others are taken", async () => {
    await own.clean(page("busy"), async (tab) => {
      const { run, complaint, box, figures } = await changed(tab);
      const clients = box.getByLabel("Clients", { exact: true });
      for (const value of ["0", "2.5", "", "1e9"]) {
        await clients.fill(value);
        await run();
        assert.match(
          await complaint(),
          /^The number of clients must be a whole number from 1 to 1000/,
        );
      }
      await clients.fill("10");
      await run();
      assert.equal((await figures())["gave up"][0], 0);
      await box.getByLabel("Loop").selectOption("open");
      await box.getByLabel("Requests per second").fill("400");
      await box.getByLabel("Length of the run (s)").fill("5");
      await run();
      assert.ok((await figures())["gave up"][0] > 100);
    });
  });

  it("the button stands in the place of the sentence for readers of the notebook, and comes back", async () => {
    await own.clean(page("sleep"), async (tab) => {
      const button = tab.getByRole("button", { name: "Change this server" });
      await button.waitFor();
      assert.equal(await tab.getByText("You can change this server.").count(), 0);
      const { box } = await changed(tab);
      await box.getByRole("button", { name: "Close" }).click();
      assert.equal(await button.isVisible(), true);
    });
  });

  it("what runs under another load, or is another program, is the reader's server, and the record keeps its load", async () => {
    await own.clean(page("database"), async (tab) => {
      const { run, write, box } = await changed(tab);
      const legend = () => box.locator(".legend").innerText();
      await box.getByLabel("Clients", { exact: true }).fill("3");
      await run();
      assert.match(
        await legend(),
        /model: your server.*measured: the book's own code, under the book's load/s,
      );
      await box.getByRole("button", { name: "Reset" }).click();
      await run();
      assert.match(await legend(), /model: this server.*measured: the book's own code$/s);
      await write(server("await query(5); response.end();"));
      await run();
      assert.match(await legend(), /model: your server.*measured: the book's own code$/s);
    });
  });

  it("a request without an answer has no wait", async () => {
    await own.clean(page("ping"), async (tab) => {
      const { run, write, box } = await changed(tab);
      await write(
        server(`if (request.url === "/ping") return response.end("pong");
  hashFor(3000); response.end();`),
      );
      await run();
      const row = box.locator("tbody tr", { hasText: "first wait (ms)" });
      assert.equal(await row.locator("td").first().innerText(), "–");
      assert.match(await box.locator(".served").innerText(), /No response had a status of 2xx/);
    });
  });

  it("what is refused at once is in no wait, and is counted for itself", async () => {
    await own.clean(page("admit"), async (tab) => {
      const { run, write, box, figures } = await changed(tab);
      const rate = box.getByLabel("Requests per second");
      await rate.fill("80");
      await run();
      await rate.fill("180");
      // Its list of responses is the program's own, so the model cannot tell which request waits there, and for what.
      assert.match(
        await box.locator(".causes").innerText(),
        /anything else, such as .*lists in the program/,
      );
      await write(
        server(`if (Math.random() < 0.7) return response.writeHead(503).end();
  await query(10); response.end();`),
      );
      await run();
      const shown = await figures();
      assert.ok(shown["median wait (ms)"][0] > 9, `${shown["median wait (ms)"][0]} ms`);
      assert.ok(shown["failed or refused"][0] > 100);
      const drawn = await box.locator("svg.waits").getAttribute("aria-label");
      assert.match(drawn, /Waits of your server/);
    });
  });

  it("a server is saved with a number of database connections that can be, or a sentence says what can", async () => {
    await own.clean(page("database"), async (tab) => {
      const { box, complaint } = await changed(tab);
      const save = box.getByRole("button", { name: "Save as a file to run for real" });
      for (const value of ["-3", "0", "2.5", "", "1e9"]) {
        await box.getByLabel("Database connections").fill(value);
        await save.click();
        assert.match(
          await complaint(),
          /^The number of database connections must be a whole number from 1 to 1000/,
        );
      }
      await box.getByLabel("Database connections").fill("7");
      const [download] = await Promise.all([tab.waitForEvent("download"), save.click()]);
      const text = readFileSync(await download.path(), "utf8");
      assert.match(text, /let free = 7;/);
      assert.equal(await complaint(), "");
    });
  });

  it("what the press loads weighs at most 470 kB, and nothing of streams or sockets is among it", async () => {
    await own.clean(page("sleep"), async (tab) => {
      const names = [];
      tab.on("request", (request) => names.push(request.url()));
      const { run } = await changed(tab);
      await run();
      const files = names.filter((url) => url.includes(folder)).map((url) => fileURLToPath(url));
      const weight = files.reduce((sum, file) => sum + gzipSync(readFileSync(file)).length, 0);
      assert.ok(weight > 300_000 && weight <= AFTER_THE_PRESS, `${weight} bytes`);
      assert.ok(
        !files.some((file) => /(streams|sockets|later|web)-\d+\.js$/.test(file)),
        String(files),
      );
    });
  });

  for (const theme of ["light", "dark"])
    it(`it can be used with keys alone, is named for a screen reader, and fits a phone, ${theme}`, async () => {
      await own.open(
        page("admit", theme),
        async (tab) => {
          await tab.getByRole("button", { name: "Change this server" }).focus();
          await tab.keyboard.press("Enter");
          await tab.locator(".lab-serve .cm-content").waitFor();
          await tab.keyboard.press("ControlOrMeta+Enter");
          await panel(tab).done();
          const width = await tab.evaluate(() => document.documentElement.scrollWidth);
          assert.ok(width <= 360, `${width} px`);
          await tab.evaluate(AXE);
          const { violations } = await tab.evaluate(() => globalThis.axe.run(".lab-serve"));
          assert.deepEqual(
            violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]),
            [],
          );
          await tab.getByRole("button", { name: "Close" }).click();
          assert.equal(
            await tab.evaluate(() => document.activeElement.textContent),
            "Change this server",
          );
        },
        { viewport: { width: 360, height: 740 } },
      );
    });

  it("nothing that the model says is called measured, and its word, colour and pattern are there", async () => {
    await own.clean(page("fifty"), async (tab) => {
      const { run, box } = await changed(tab);
      await run();
      assert.match(await box.locator(".status").innerText(), /^Model: /);
      const waits = box.locator("svg.waits");
      assert.equal(await waits.locator("path.model").count(), 1);
      assert.equal(await waits.locator("pattern").count(), 1);
      assert.match(
        await box.locator(".legend").innerText(),
        /model: this server.*measured: the book's own code/s,
      );
    });
  });
});
