// The picture that a link to a page is shown with elsewhere: `make cards`, after a build with LAB_SITE_URL. Title, description and first figure of each
// page, drawn by the browser with the page's own styles into _static/cards, 1200 x 630. A page without a figure keeps the picture of
// the site. The small page of each verdict (lab/book/pages/verdict_pages.py) is its own picture. Readers load none of these: only
// programs that preview a link do.
//   node tools/cards.mjs SITE

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { launch, pagesOf, patient } from "../tests/site/browser.mjs";

const SIZE = { width: 1200, height: 630 }; // what Open Graph asks for
const IMAGE = /(<meta property="og:image" content=")([^"]*)(")/;
const ALT = /(<meta property="og:image:alt" content=")[^"]*(")/;

/** Show the title and the first figure of the page, and nothing else. Returns the words of the figure, or null if there is none. */
function rearranged() {
  document.documentElement.dataset.theme = "light";
  document.documentElement.dataset.mode = "light";
  const article = document.querySelector("article.bd-article");
  const figure = article?.querySelector(".lab-figure svg.lab-wide, .lab-drawn svg");
  if (!figure) return null;
  const { width, height } = figure.viewBox.baseVal;
  if (height > 1.5 * width) return null; // too tall to be read in so low a picture
  const heading = article.querySelector("h1")?.cloneNode(true);
  if (!heading) return null;
  for (const sign of heading.querySelectorAll(".headerlink")) sign.remove();
  const box = document.createElement("div");
  box.style.cssText =
    "position:fixed;inset:0;z-index:99999;display:flex;flex-direction:column;gap:16px;padding:36px 48px;box-sizing:border-box;background:var(--lab-paper, #fff)";
  const title = document.createElement("p");
  title.textContent = heading.textContent.trim();
  title.style.cssText =
    "margin:0;font-size:46px;line-height:1.15;font-weight:700;color:var(--lab-ink)";
  const place = document.createElement("div");
  place.className = figure.closest(".lab-figure, .lab-drawn").className;
  place.style.cssText = "flex:1;min-height:0;margin:0;max-width:none";
  const copy = figure.cloneNode(true);
  copy.style.cssText = "display:block;width:100%;height:100%;max-width:none";
  place.append(copy);
  const about = document.createElement("p");
  about.textContent = document.querySelector("meta[name=description]")?.content ?? "";
  about.style.cssText = "margin:0;font-size:25px;line-height:1.35;color:var(--lab-muted)";
  box.append(title, about, place);
  article.append(box);
  const caption = figure.closest("figure")?.querySelector("figcaption");
  const words = figure.querySelector("title") ?? caption;
  return (words?.textContent ?? figure.getAttribute("aria-label") ?? "")
    .replace(/\s+/g, " ")
    .trim();
}

/** Show the verdict of a small page as large as there is room. Returns its words. */
export function enlarged() {
  document.documentElement.dataset.theme = "light";
  document.querySelector(".way").remove();
  const main = document.querySelector("main");
  const card = main.querySelector(".lab-card");
  document.body.style.cssText = "margin:0;max-width:none;padding:0;background:var(--lab-paper)";
  main.style.cssText += ";height:100vh;box-sizing:border-box;padding:36px 44px;display:grid";
  card.style.cssText =
    "margin:0;padding:0.2rem 1.4rem;border-width:0 0 0 14px;border-radius:0;display:flex;flex-direction:column;justify-content:center";
  const [word, axis] = [card.querySelector(".word"), card.querySelector(".axis")];
  word.style.fontSize = "1.5rem";
  if (axis) axis.style.cssText = "margin-block:0.4rem 0.8rem";
  const fits = () => card.scrollHeight <= card.clientHeight && main.scrollHeight <= innerHeight;
  for (let px = 36; px >= 16; px--) {
    document.documentElement.style.fontSize = `${px}px`;
    if (fits()) break;
  }
  const words = [card.querySelector("h1"), word].map((part) => part.textContent.trim());
  return words.join(" ");
}

const escaped = (text) =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");

/** Draw a card for each page that has an address: `arrange` shows on the page what is to be seen, and returns its words, or null if
 * there is nothing. The pages name their cards then. Returns the names of these pages.
 */
async function cardsOf(browser, site, pages, arrange) {
  const names = [];
  const tab = await browser.newPage({ viewport: SIZE, javaScriptEnabled: false });
  patient(tab);
  await tab.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  for (const { name, url } of pages) {
    const file = join(site, name);
    const html = readFileSync(file, "utf8");
    const [, , address] = IMAGE.exec(html) ?? [];
    if (!address?.includes("_static/")) continue;
    await tab.goto(url, { waitUntil: "load" });
    const words = await tab.evaluate(arrange);
    if (words === null) continue;
    const card = `_static/cards/${name.replace(/\.html$/, ".png")}`;
    mkdirSync(dirname(join(site, card)), { recursive: true });
    await tab.screenshot({ path: join(site, card), clip: { x: 0, y: 0, ...SIZE } });
    const root = address.slice(0, address.indexOf("_static/"));
    const changed = html
      .replace(IMAGE, (_, before, _old, after) => `${before}${root}${card}${after}`)
      .replace(ALT, (_, before, after) => `${before}${escaped(words)}${after}`);
    writeFileSync(file, changed);
    names.push(name);
  }
  await tab.close();
  return names;
}

/** Draw the card of each page that has an address and a figure. Returns the names of these pages. */
export const cardsOfPages = (browser, site) => cardsOf(browser, site, pagesOf(site), rearranged);

/** Draw the card of each verdict. Returns the names of their small pages. */
export function cardsOfVerdicts(browser, site) {
  rmSync(join(site, "_static/cards/verdict"), { recursive: true, force: true }); // of claims that are gone
  const folder = join(site, "verdict");
  const files = existsSync(folder) ? readdirSync(folder).sort() : [];
  const pages = files
    .filter((file) => file.endsWith(".html"))
    .map((file) => ({ name: `verdict/${file}`, url: pathToFileURL(join(folder, file)).href }));
  return cardsOf(browser, site, pages, enlarged);
}

async function main([folder]) {
  const site = resolve(folder);
  const hasAddress = ({ name }) => IMAGE.test(readFileSync(join(site, name), "utf8"));
  if (!pagesOf(site).some(hasAddress)) {
    console.log(
      "This site has no address, so its pages have no pictures for previews. Set " +
        "LAB_SITE_URL and build the site again.",
    );
    return;
  }
  const browser = await launch();
  try {
    const [pages, verdicts] = [
      await cardsOfPages(browser, site),
      await cardsOfVerdicts(browser, site),
    ];
    console.log(
      `${pages.length} pages and ${verdicts.length} verdicts have their own picture for link previews.`,
    );
  } finally {
    await browser.close();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.slice(2));
