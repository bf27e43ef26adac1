// `make cards`: a picture of each page that has an address and a figure, named by its page alone.

import assert from "node:assert/strict";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { cardsOfPages as cardsOf } from "../../tools/cards.mjs";
import { launch, siteFolder } from "./browser.mjs";

const ADDRESS = "https://example.org/course/";
const META =
  `<meta property="og:image" content="${ADDRESS}_static/card.png" />` +
  '<meta property="og:image:alt" content="Forest plot" />';
const DRAWN = "book/cases/overload.html";
const BARE = "book/about/notation.html"; // without a figure
const UNKNOWN = "book/streams/files-over-http.html"; // built without an address
let browser;
let site;
let drawn;

const html = (name) => readFileSync(join(site, name), "utf8");
const image = (name) => /og:image" content="([^"]*)"/.exec(html(name))?.[1];
const alt = (name) => /og:image:alt" content="([^"]*)"/.exec(html(name))?.[1];

before(async () => {
  browser = await launch();
  site = mkdtempSync(join(tmpdir(), "lab-cards-"));
  cpSync(join(siteFolder(), "_static"), join(site, "_static"), { recursive: true });
  for (const name of [DRAWN, BARE, UNKNOWN]) {
    const text = readFileSync(join(siteFolder(), name), "utf8").replace(
      /<meta property="og:image[^>]*>/g,
      "",
    );
    mkdirSync(dirname(join(site, name)), { recursive: true });
    const address = name === UNKNOWN ? "" : META;
    writeFileSync(join(site, name), text.replace("</head>", `${address}</head>`));
  }
  drawn = await cardsOf(browser, site);
});

after(async () => {
  await browser?.close();
  rmSync(site, { recursive: true, force: true });
});

describe("cards of pages", () => {
  it("are drawn from the first figure, at the size that previews ask for", async () => {
    assert.deepEqual(drawn, [DRAWN]);
    const card = readFileSync(join(site, "_static/cards/book/cases/overload.png"));
    assert.deepEqual([card.readUInt32BE(16), card.readUInt32BE(20)], [1200, 630]);
    const colours = await coloursOf(card);
    assert.ok(colours > 20, `title and figure have more than ${colours} colours`);
  });

  it("are named by their pages, at the address of the site, with the words of the figure", () => {
    assert.equal(image(DRAWN), `${ADDRESS}_static/cards/book/cases/overload.png`);
    assert.ok(alt(DRAWN).length > 20 && alt(DRAWN) !== "Forest plot");
  });

  it("are none where there is no figure or no address", () => {
    assert.equal(image(BARE), `${ADDRESS}_static/card.png`);
    assert.equal(alt(BARE), "Forest plot");
    assert.equal(image(UNKNOWN), undefined);
    assert.ok(!existsSync(join(site, "_static/cards/book/streams/files-over-http.png")));
  });

  it("are the same after a second run, and no page loads one", async () => {
    const pages = [html(DRAWN), html(BARE)];
    assert.deepEqual(await cardsOf(browser, site), [DRAWN]);
    assert.deepEqual([html(DRAWN), html(BARE)], pages);
    assert.doesNotMatch(html(DRAWN).replace(/<meta [^>]*>/g, ""), /_static\/cards/);
  });
});

/** How many colours a picture has. */
async function coloursOf(card) {
  const tab = await browser.newPage();
  const count = await tab.evaluate(
    async (data) => {
      const picture = new Image();
      picture.src = data;
      await picture.decode();
      const canvas = new OffscreenCanvas(picture.width, picture.height);
      const context = canvas.getContext("2d");
      context.drawImage(picture, 0, 0);
      const { data: bytes } = context.getImageData(0, 0, picture.width, picture.height);
      return new Set(new Uint32Array(bytes.buffer)).size;
    },
    `data:image/png;base64,${card.toString("base64")}`,
  );
  await tab.close();
  return count;
}
