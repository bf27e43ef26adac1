// "Change it" and the Loop Lab: programs that a reader writes, run on the model of Node in the page.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { deflateRawSync, gzipSync } from "node:zlib";
import { siteFolder, visit } from "./browser.mjs";
import { session } from "./session.mjs";

const KB = 1000;
const AFTER_THE_PRESS = 450 * KB; // gzipped, of one Node
const WITH_STREAMS = 500 * KB;
const WITH_ALL = 600 * KB;
const BEFORE_THE_PRESS = 1.7 * KB; // three kinds of button
const PATIENCE = 300_000;
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core"), "utf8");

const site = siteFolder();
const chapter = "book/event-loop/ticks-and-microtasks.html";
const start = "book/start.html";
const lab = "book/event-loop/loop-lab.html";
const onDisk = (page) => pathToFileURL(join(site, page)).href;
const own = session({ site, slower: 6 });
const [folder] = readdirSync(join(site, "_static")).filter((name) => name.startsWith("simulator-"));

const RACE = `setTimeout(() => console.log("timer"), 0);\nsetImmediate(() => console.log("immediate"));\n`;

/** A panel as a reader uses it; `tab` is on a page where one is open. */
const panel = (tab) => {
  const box = tab.locator(".lab-change");
  const run = () => box.getByRole("button", { name: "Run", exact: true }).click();
  /** Wait until the model has nothing more to say. */
  const done = () =>
    tab.waitForFunction(
      () => {
        const { textContent: status } = document.querySelector(".lab-change .status");
        const isWrong = document.querySelector(".lab-change .complaint").childElementCount > 0;
        return isWrong || /\borders?\b.*\.$/.test(status);
      },
      null,
      { timeout: PATIENCE },
    );
  const write = async (text) => {
    await box.locator(".cm-content").focus();
    await tab.keyboard.press("ControlOrMeta+a");
    await tab.keyboard.press("Delete");
    await tab.keyboard.insertText(text);
  };
  const result = async (text) => {
    await write(text);
    await run();
    await done();
  };
  const text = (selector) => () => box.locator(selector).innerText();
  return {
    ...{ box, run, done, write, result },
    complaint: text(".complaint"),
    printed: text(".told pre.lines"),
    told: text(".told .printed"),
    status: text(".status"),
  };
};

async function changed(tab) {
  await tab.getByRole("button", { name: "Change it" }).first().click();
  await tab.locator(".lab-change .cm-content").waitFor();
  return panel(tab);
}

const fragment = (text, file = "sent.cjs") =>
  `#z=${deflateRawSync(text).toString("base64url")}&file=${encodeURIComponent(file)}&node=22`;

describe("below a program of a chapter", () => {
  it("nothing is asked for before the press, and the loader is small", async () => {
    own.host.sent.length = 0;
    await own.open(own.host.url + chapter, async (tab) => {
      await tab.getByRole("button", { name: "Change it" }).first().waitFor();
      const paths = own.host.sent.map(({ path }) => path);
      assert.deepEqual(
        paths.filter((path) => path.includes("simulator-")),
        [],
      );
      const { bytes } = own.host.sent.find(({ path }) => path.endsWith("/change.js"));
      assert.ok(bytes <= BEFORE_THE_PRESS, `${bytes} bytes`);
    });
  });

  it("what a press and a run load weighs at most 450 kB, and comes from the site", async () => {
    await own.open(own.host.url + chapter, async (tab, seen) => {
      own.host.sent.length = 0;
      const { run, done } = await changed(tab);
      await run();
      await done();
      const weight = own.host.sent
        .filter(({ path }) => path.includes(folder))
        .reduce((sum, { bytes }) => sum + bytes, 0);
      assert.ok(weight > 300 * KB, `only ${weight} bytes: was the model loaded?`);
      assert.ok(weight <= AFTER_THE_PRESS, `${weight} bytes`);
      assert.deepEqual(
        seen.foreign.filter((url) => !url.startsWith(own.host.url)),
        [],
      );
    });
  });

  for (const [where, base] of [
    ["from disk", () => `${pathToFileURL(site).href}/`],
    ["from a host", () => own.host.url],
  ])
    it(`a changed program is printed, replayed and its orders are explained, ${where}`, async () => {
      await own.open("about:blank", async (tab, seen) => {
        await tab.addInitScript(() => {
          globalThis.stopped = [];
          addEventListener("securitypolicyviolation", (event) =>
            globalThis.stopped.push(event.blockedURI),
          );
        });
        await visit(tab, base() + chapter);
        const { box, result, printed, status } = await changed(tab);
        await result(RACE);
        assert.equal(await printed(), "immediate\ntimer");
        assert.match(await status(), /^Model of Node 26\.\d+\.\d+: 2 orders\.$/);
        await box.getByText("All orders: 2").click();
        await box.getByText("If the main program takes a millisecond").waitFor();
        await box.getByRole("button", { name: "Step through order 2" }).click();
        const replay = box.locator("loop-replay");
        await replay.getByRole("button", { name: "Last step" }).click();
        assert.deepEqual(await replay.locator(".console li:visible").allInnerTexts(), [
          "timer",
          "immediate",
        ]);
        assert.doesNotMatch(await box.innerText(), /\b(recorded|Recorded|seen in)\b/);
        assert.deepEqual(await tab.evaluate(() => globalThis.stopped), []);
        assert.deepEqual(seen.errors, []);
      });
    });

  it("a line that is wrong is marked and told as Node tells it; the next run goes on", async () => {
    await own.open(onDisk(chapter), async (tab) => {
      const its = await changed(tab);
      await its.result("const a = 1;\nconst b = ;\n");
      assert.equal(
        await its.complaint(),
        "program.cjs:2\nconst b = ;\n          ^\n\nSyntaxError: Unexpected token ';'",
      );
      assert.equal(await its.box.locator(".lab-ed-wrong").innerText(), "const b = ;");
      await its.result("console.log('mended')");
      assert.equal(await its.printed(), "mended");
      assert.equal(await its.box.locator(".lab-ed-wrong").count(), 0);
    });
  });

  it("every key of a keyboard writes what it says, on the page of the lab, too", async () => {
    const text = `// "a" / 'b'? \\ ~ [x] {y} (z); & # @ % ^ * + - = < > | ! $ , . : \``;
    for (const page of [chapter, lab])
      await own.open(onDisk(page), async (tab) => {
        if (page === chapter) await changed(tab);
        else await tab.locator(".lab-change textarea").focus();
        const content = tab.locator(".lab-change .cm-content");
        await content.focus();
        await tab.keyboard.press("ControlOrMeta+a");
        await tab.keyboard.press("Delete");
        await tab.keyboard.type(text);
        assert.equal(await content.innerText(), text);
      });
  });

  it("after a program that fills the stack the next one runs", async () => {
    await own.open(onDisk(chapter), async (tab, seen) => {
      const its = await changed(tab);
      await its.result("function again(n) { return again(n + 1); }\nagain(0);");
      assert.match(await its.complaint(), /nested more deeply[\s\S]*calls itself without an end/);
      await its.result("console.log('next')");
      assert.equal(await its.printed(), "next");
      assert.deepEqual(seen.errors, []);
    });
  });

  it("an import of names brings what the module loads only then", async () => {
    await own.open(onDisk(lab), async (tab, seen) => {
      const its = panel(tab);
      await its.box.locator("textarea").focus();
      await its.box.locator(".cm-content").waitFor();
      await its.box.getByLabel("Kind of program").selectOption("mjs");
      const source = `import { writeFileSync } from "node:fs";
import { promisify } from "node:util";
writeFileSync("a", "b");
console.log(typeof promisify);`;
      await its.result(source);
      assert.equal(await its.printed(), "function");
      assert.deepEqual(seen.errors, []);
    });
  });

  it("what never ends, eats memory or prints a million lines is stopped with a sentence, and the page goes on", async () => {
    await own.open(onDisk(chapter), async (tab) => {
      const its = await changed(tab);
      await its.result("console.log('warm')");
      for (const [program, sentence] of [
        ["while (true);", /was stopped after[\s\S]*No timer or promise callback can run until/],
        ["(function again() { process.nextTick(again); })();", /was stopped after/],
        ["setInterval(() => {}, 10);", /clearInterval/],
        ["const all = []; for (;;) all.push(new Array(1e5).fill(1));", /was stopped/],
        ["for (let i = 0; i < 1e6; i++) console.log(i);", /was stopped/],
      ]) {
        await its.write(program);
        // The page itself stays quick: it is asked while the program runs, on a busy machine up to three times.
        const beat = () =>
          tab.evaluate(
            () =>
              new Promise((told) => {
                let [most, last] = [0, performance.now()];
                const timer = setInterval(() => {
                  const now = performance.now();
                  most = Math.max(most, now - last);
                  last = now;
                }, 20);
                setTimeout(() => {
                  clearInterval(timer);
                  told(most);
                }, 1500);
              }),
          );
        let still = Number.POSITIVE_INFINITY;
        for (let turn = 0; turn < 3 && still >= 1000; turn++) {
          const most = beat();
          await its.run();
          await its.done();
          still = await most;
        }
        assert.match(await its.complaint(), sentence, program);
        assert.ok(still < 1000, `the page stood still for ${still} ms: ${program}`);
      }
      await its.result("console.log('still here')");
      assert.equal(await its.printed(), "still here");
    });
  });

  it("what is not modelled is refused in a sentence, and what is of browsers alone is told", async () => {
    await own.open(onDisk(chapter), async (tab) => {
      const its = await changed(tab);
      for (const [program, sentence] of [
        ["require('child_process').exec('ls');", /no child processes .* node program\.cjs$/],
        ["fetch('https://example.org');", /The model has no fetch\./],
        ["new (require('util').MIMEType)('a/b');", /The model has no MIMEType in a page/],
        ["new Worker('x');", /Worker is not defined|no workers/],
        ["const a = <b>x</b>;", /looks like JSX/],
        ["const a: number = 1;", /looks like TypeScript/],
      ]) {
        await its.result(program);
        const text = `${await its.complaint()}${await its.box.locator(".result").innerText()}`;
        assert.match(text, sentence, program);
      }
      await its.result("console.log(“hello”);");
      assert.match(await its.complaint(), /of printed text \(“, U\+201C\)/);
      await its.result("alert('hello');");
      assert.match(await its.told(), /alert belongs to browsers/);
      await its.result("");
      assert.match(await its.told(), /It prints nothing\./);
    });
  });

  it("a program sees nothing of the page, and its frame asks nobody", async () => {
    await own.open(own.host.url + chapter, async (tab) => {
      const its = await changed(tab);
      await its.result(
        "console.log(['window', 'document', 'parent', 'postMessage', 'importScripts', 'self', 'localStorage'].filter((name) => name in globalThis).join() || 'nothing');",
      );
      assert.equal(await its.printed(), "nothing");
      const frame = tab.locator("iframe[src*='engine.html']");
      assert.equal(await frame.getAttribute("sandbox"), "allow-scripts");
      const [, inside] = tab.frames();
      const reach = await inside.evaluate(async (other) => {
        // By itself: for as long as this one lasts the browser lets us evaluate.
        await new Promise((later) => setTimeout(later));
        const tried = {};
        for (const [name, attempt] of Object.entries({
          parent: () => parent.document.title,
          storage: () => localStorage.length,
          // biome-ignore lint/security/noGlobalEval: it has to be refused
          evaluation: () => globalThis.eval("1"),
          request: () => fetch(other),
        }))
          tried[name] = await Promise.resolve()
            .then(attempt)
            .then(
              () => "reached",
              () => "refused",
            );
        return tried;
      }, own.host.url);
      assert.deepEqual(new Set(Object.values(reach)), new Set(["refused"]), JSON.stringify(reach));
    });
  });

  it("asks for the order first, and shows nothing of it until it is said", async () => {
    await own.open(onDisk(chapter), async (tab) => {
      const its = await changed(tab);
      await its.box.getByLabel("let me predict the order first").check();
      await its.result(RACE);
      await its.box.getByText("Predict first").waitFor();
      assert.equal(await its.box.locator(".told").isVisible(), false);
      await its.box.getByRole("button", { name: "Check" }).click();
      await its.box.locator(".verdict").waitFor();
      assert.equal(await its.box.locator(".told").isVisible(), true);
      assert.match(await its.box.locator(".verdict").innerText(), /model/i);
      const kept = await tab.evaluate(() =>
        Object.keys(localStorage).filter((key) => key.startsWith("loop-replay:")),
      );
      assert.deepEqual(
        kept,
        [],
        "an order of a changed program is no answer to the book's question",
      );
    });
  });

  it("another Node, Reset, a file to run for real, and Close", async () => {
    await own.open(onDisk(chapter), async (tab) => {
      const its = await changed(tab);
      const before = await its.box.locator(".cm-content").innerText();
      await its.result("console.log(process.version.split('.')[0]);");
      assert.equal(await its.printed(), "v26");
      await its.box.getByLabel("Node", { exact: true }).selectOption("22");
      await its.box.locator(".told pre.lines", { hasText: "v22" }).waitFor({ timeout: PATIENCE });
      const [download] = await Promise.all([
        tab.waitForEvent("download"),
        its.box.getByRole("button", { name: "Save as a file" }).click(),
      ]);
      assert.equal(download.suggestedFilename(), "program.cjs");
      assert.equal(
        readFileSync(await download.path(), "utf8"),
        "console.log(process.version.split('.')[0]);",
      );
      await its.box.getByRole("button", { name: "Reset" }).click();
      assert.equal(await its.box.locator(".cm-content").innerText(), before);
      await its.box.getByRole("button", { name: "Close" }).click();
      assert.equal(await its.box.count(), 0);
      await tab.locator(":focus", { hasText: "Change it" }).waitFor();
    });
  });

  it("works with the keyboard alone, and axe finds nothing, in the dark and at 360 px", async () => {
    await own.open(
      onDisk(chapter),
      async (tab) => {
        await tab.getByRole("button", { name: "Change it" }).first().focus();
        await tab.keyboard.press("Enter");
        await tab.locator(".lab-change .cm-content:focus").waitFor();
        await tab.keyboard.type("console.log('typed');\n");
        await tab.keyboard.press("ControlOrMeta+Enter");
        const its = panel(tab);
        await its.done();
        assert.match(await its.printed(), /^typed/);
        await tab.keyboard.press("Tab");
        assert.equal(await tab.locator(".cm-content:focus").count(), 0, "Tab leaves the editor");
        await its.box.locator(".orders summary").click();
        assert.deepEqual(
          await tab.evaluate(() => document.documentElement.scrollWidth - innerWidth),
          0,
        );
        await tab.addStyleTag({ content: "*, ::before, ::after { transition: none !important }" });
        await tab.evaluate(AXE);
        const { violations } = await tab.evaluate(() =>
          globalThis.axe.run(".lab-change", { resultTypes: ["violations"] }),
        );
        assert.deepEqual(
          violations.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 120)}`),
          [],
        );
      },
      { colorScheme: "dark", viewport: { width: 360, height: 740 } },
    );
  });
});

describe("below the program of the first page", () => {
  const AWAITED = "await Promise.resolve();";
  const ANSWERED = "the ping is answered";

  it("its own lines are printed; with setImmediate the ping comes in between, and the replay has it there", async () => {
    await own.open(own.host.url + start, async (tab, seen) => {
      const its = await changed(tab);
      const source = await tab.evaluate(
        () => LabDom.dataOf(document.querySelector("loop-replay")).source,
      );
      assert.equal(source.split(AWAITED).length, 2, "the program has another text");
      await its.run();
      await its.done();
      const before = (await its.printed()).split("\n");
      assert.deepEqual(before.at(-1), ANSWERED);
      assert.equal(before.length, 6);

      await its.result(source.replace(AWAITED, "await new Promise(setImmediate);"));
      assert.match(await its.status(), /^Model of Node 26\.\d+\.\d+: /);
      const after = (await its.printed()).split("\n");
      assert.deepEqual(after, [
        "slice 1 is hashed",
        "the handler has returned",
        "slice 2 is hashed",
        ANSWERED,
      ]);
      const replay = its.box.locator("loop-replay");
      await replay.getByRole("button", { name: "Last step" }).click();
      assert.deepEqual(await replay.locator(".console li:visible").allInnerTexts(), after);
      assert.deepEqual(seen.errors, []);
    });
  });
});

describe("below programs about streams", () => {
  const packsOf = (paths) =>
    paths
      .flatMap((path) => /\/(streams|later|sockets|web|glob)-\d+\.js$/.exec(path)?.[1] ?? [])
      .sort();

  for (const [page, name, line, last, packs] of [
    [
      "streams/flow-and-backpressure",
      "drained.cjs",
      "write 3 says false: 12 bytes are kept",
      "finish",
      ["streams"],
    ],
    ["streams/backpressure-today", "asked-for.mjs", "chunk 2 is taken", "done", ["streams", "web"]],
    [
      "streams/web-streams-by-weight",
      "one-by-one.mjs",
      "  1 is passed on",
      "done",
      ["streams", "web"],
    ],
    [
      "buffers/parsing-bytes",
      "in-pieces.cjs",
      'piece 2 completes "ping"',
      'piece 5 completes "a longer one"',
      ["streams"],
    ],
    [
      "streams/pipelines-that-fail",
      "two-sinks.mjs",
      '{"one sink breaks":"at once","the other got":3}',
      '{"one sink breaks":"a turn later","the other got":3}',
      ["streams"],
    ],
  ])
    it(`${name} prints what it prints on Node, and loads the texts that it needs alone`, async () => {
      await own.open(`${own.host.url}book/${page}.html`, async (tab, seen) => {
        own.host.sent.length = 0;
        await tab.getByRole("button", { name: `Change it: ${name}` }).click();
        await tab.locator(".lab-change .cm-content").waitFor();
        const its = panel(tab);
        await its.run();
        await its.done();
        const printed = (await its.printed()).split("\n");
        assert.ok(printed.includes(line), printed.join("\n"));
        assert.equal(printed.at(-1), last);
        const loaded = own.host.sent.filter(({ path }) => path.includes(folder));
        assert.deepEqual(packsOf(loaded.map(({ path }) => path)), packs);
        const weight = loaded.reduce((sum, { bytes }) => sum + bytes, 0);
        assert.ok(weight <= WITH_STREAMS, `${weight} bytes`);
        const replay = its.box.locator("loop-replay");
        await replay.getByRole("button", { name: "Last step" }).click();
        assert.equal(await replay.locator(".console li:visible").last().innerText(), last);
        assert.deepEqual(seen.errors, []);
      });
    });

  it("the replay of a program with streams shows how full their buffers are, and of another nothing of it", async () => {
    const source = `const { Readable, Writable } = require("node:stream");
const sink = new Writable({ objectMode: true, highWaterMark: 2, write: (n, _, done) => setTimeout(done, 5) });
Readable.from([1, 2, 3]).pipe(sink).on("finish", () => console.log("end"));
`;
    await own.open(onDisk(chapter), async (tab, seen) => {
      const { box, result } = await changed(tab);
      await result(source);
      const lanes = box.locator(".levels");
      const replay = box.locator("loop-replay");
      assert.match(await lanes.innerText(), /sink · new Writable line 2\s+0 of 2 to be written/);
      const next = replay.getByRole("button", { name: "Step", exact: true });
      while (!(await lanes.innerText()).includes("2 of 2 to be written, full")) await next.click();
      await replay.getByRole("button", { name: "Last step" }).click();
      assert.match(await lanes.innerText(), /sink · new Writable line 2\s+0 of 2 to be written/);
      await result(RACE);
      assert.equal(await lanes.isVisible(), false);
      assert.deepEqual(seen.errors, []);
    });
  });

  it("all packs together weigh at most 600 kB, that for patterns of file names aside", async () => {
    // The panel of servers needs none of these packs, and servers.test.mjs weighs what it loads.
    const weight = readdirSync(join(site, "_static", folder))
      .filter(
        (name) => !/^(lab|LICENCES|glob-|server-|check|exercise|sheet)|-(22|24)\.js$/.test(name),
      )
      .reduce(
        (sum, name) => sum + gzipSync(readFileSync(join(site, "_static", folder, name))).length,
        0,
      );
    assert.ok(weight > AFTER_THE_PRESS, `only ${weight} bytes`);
    assert.ok(weight <= WITH_ALL, `${weight} bytes`);
  });
});

describe("the Loop Lab", () => {
  it("runs its examples one after the other", async () => {
    await own.open(onDisk(lab), async (tab) => {
      const its = panel(tab);
      const choice = tab.getByLabel("Example");
      await choice.waitFor();
      const count = await choice.locator("option").count();
      assert.ok(count > 8, `${count} examples`);
      for (let at = 0; at < count - 1; at++) {
        await choice.selectOption(String(at));
        await its.run();
        await its.done();
        assert.equal(await its.complaint(), "", await choice.locator("option:checked").innerText());
      }
    });
  });

  it("the kind of a .js program is what its words say, and after a run what it parses as", async () => {
    const kind = (tab) => tab.locator(".lab-change").getByLabel("Kind of program");
    await own.open(onDisk(lab) + fragment("const one = await 1;\n", "sent.js"), async (tab) => {
      const its = panel(tab);
      await kind(tab).waitFor();
      assert.equal(await kind(tab).inputValue(), "cjs");
      await its.run();
      await its.done();
      assert.equal(await kind(tab).inputValue(), "mjs");
      await its.box.locator("textarea, .cm-content").click();
      await its.box.locator(".cm-content").waitFor();
      await its.result("const text = `\nimport of no module`;\n");
      assert.equal(await kind(tab).inputValue(), "cjs");
      await its.write('import "node:fs";\n');
      assert.equal(await kind(tab).inputValue(), "mjs");
    });
  });

  it("a program that came with a link waits for Run, and is text whatever it says", async () => {
    const hostile = `</textarea><img src=x onerror="globalThis.ran = 1"><script>globalThis.ran = 2</script>`;
    await own.open(
      onDisk(lab) + fragment(`console.log(${JSON.stringify(hostile)});`),
      async (tab, seen) => {
        const its = panel(tab);
        await tab.getByText("nothing has run yet").waitFor();
        assert.equal(
          await its.box.locator("textarea").inputValue(),
          `console.log(${JSON.stringify(hostile)});`,
        );
        assert.equal(await tab.locator("iframe").count(), 0, "the model is there before Run");
        assert.equal(await its.box.locator(".result").isVisible(), false);
        await its.run();
        await its.done();
        assert.equal(await its.printed(), hostile);
        assert.match(await its.status(), /^Model of Node 22/);
        assert.equal(await tab.evaluate(() => globalThis.ran), undefined);
        assert.deepEqual(seen.errors, []);
      },
    );
  });

  it("what a reader writes into the program of a link is there after a reload, and the link alone replaces nothing", async () => {
    await own.open(onDisk(lab), async (tab, seen) => {
      const area = tab.locator(".lab-change textarea");
      const its = panel(tab);
      const wait = (text) =>
        tab.waitForFunction(
          (wanted) => document.querySelector(".lab-change textarea")?.value === wanted,
          text,
        );
      await area.focus();
      await its.write("console.log('mine')");
      await visit(tab, "about:blank");
      await visit(tab, onDisk(lab) + fragment("console.log('sent')"));
      await wait("console.log('sent')");
      await visit(tab, "about:blank");
      await visit(tab, onDisk(lab));
      await wait("console.log('mine')");
      await visit(tab, "about:blank");
      await visit(tab, onDisk(lab) + fragment("console.log('sent')"));
      await wait("console.log('sent')");
      await area.focus();
      await its.write("console.log('sent and changed')");
      await tab.reload();
      await wait("console.log('sent and changed')");
      assert.deepEqual(seen.errors, []);
    });
  });

  it("a link that was cut, is too long or names a strange file is told, or its name is left out", async () => {
    const whole = fragment("console.log(1);", "../../evil name.exe");
    await own.open(onDisk(lab) + whole, async (tab) => {
      await tab.getByText("nothing has run yet").waitFor();
      await tab.getByText("node program.mjs", { exact: true }).waitFor();
    });
    for (const bad of [
      `${fragment("console.log(1);".repeat(50)).slice(0, 12)}`,
      "#z=%%%",
      fragment("x".repeat(3_000_000)),
      `#z=${deflateRawSync(Buffer.from([255, 254, 0, 1])).toString("base64url")}`,
    ])
      await own.open(onDisk(lab) + bad, async (tab, seen) => {
        await tab.getByText("This link does not contain a readable program").waitFor();
        assert.deepEqual(seen.errors, []);
      });
  });

  it("the link that is copied brings the program to another reader", async () => {
    const text = "console.log('ünïcödé 👋', `two\nlines`);\n";
    await own.open(
      own.host.url + lab,
      async (tab) => {
        const its = panel(tab);
        await its.box.locator("textarea").focus();
        await its.box.locator(".cm-content").waitFor();
        await its.write(text);
        await its.box.getByRole("button", { name: "Copy a link" }).click();
        await tab.getByText("The link is copied").waitFor();
        const address = await tab.evaluate(() => navigator.clipboard.readText());
        await own.open(address, async (other) => {
          await other.getByText("nothing has run yet").waitFor();
          assert.equal(await other.locator(".lab-change textarea").inputValue(), text);
        });
      },
      { permissions: ["clipboard-read", "clipboard-write"] },
    );
  });

  it("without JavaScript it says what it is", async () => {
    await own.open(
      "about:blank",
      async (tab) => {
        await tab.goto(onDisk(lab));
        await tab.getByText("python -m lab model FILE").waitFor();
      },
      { javaScriptEnabled: false },
    );
  });

  it("a trace file that is opened is drawn; one that is too long is refused in a sentence", async () => {
    await own.open(onDisk(lab), async (tab) => {
      const recorded = readFileSync(new URL("replay/orders.trace.json", import.meta.url), "utf8");
      const open = (name, text) =>
        tab
          .getByLabel("Open a trace file")
          .setInputFiles({ name, mimeType: "application/json", buffer: Buffer.from(text) });
      const trace = JSON.parse(recorded);
      const [recording] = trace.versions[0].recordings;
      const events = Array.from({ length: 9000 }, () => recording.events[0]);
      const tasks = Array.from({ length: 9000 }, () => recording.tasks[0]);
      const versions = [{ ...trace.versions[0], recordings: [{ ...recording, events, tasks }] }];
      await open("long.trace.json", JSON.stringify({ ...trace, versions }));
      await tab.getByText("long.trace.json is too long to be drawn").waitFor();
      await open("orders.trace.json", recorded);
      await tab.locator("#your-trace header .name", { hasText: trace.name }).waitFor();
    });
  });
});

it("every file that the press loads is as small as it can be, and names no place of the machine that built it", () => {
  for (const name of readdirSync(join(site, "_static", folder))) {
    const text = readFileSync(join(site, "_static", folder, name), "utf8");
    assert.doesNotMatch(text, /\/work\/|\/home\/(?!you)|node_modules/, name);
    if (name.endsWith(".js")) assert.ok(gzipSync(text).length < 100 * KB, name);
  }
});
