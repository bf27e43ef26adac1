// The whole book in one document: `make pdf`. Puts the built pages one after another into _build/pdf/book.html, in the
// order of the sidebar, and has the browser print that as it prints any page. No page is written twice, none by hand.
//   node tools/pdf.mjs SITE OUT

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { launch, patient } from "../tests/site/browser.mjs";

const [site, out] = process.argv.slice(2).map((folder) => resolve(folder));
const NAME = "nodejs-io-measured.pdf";
const page = (name) => readFileSync(join(site, name), "utf8");

mkdirSync(out, { recursive: true });
const browser = await launch();
const tab = patient(await browser.newPage());
const shell = join(out, "book.html");
writeFileSync(shell, frame(""));
await tab.goto(pathToFileURL(shell).href);
const parts = await tab.evaluate(contents, page("book/index.html"));
const names = ["book/index.html", ...parts.flatMap((part) => part.pages)];
for (const [number, name] of names.entries()) {
  const part = parts.find(({ pages }) => pages[0] === name)?.caption ?? "";
  await tab.evaluate(add, { name, number, names, part, html: page(name) });
}
writeFileSync(shell, frame(await tab.evaluate(() => document.querySelector("main").outerHTML)));
await tab.goto(pathToFileURL(shell).href, { waitUntil: "load" });
await tab.evaluate(() => document.fonts.ready);
const grey = "width:100%;font:8pt sans-serif;color:#57606a;text-align:center";
await tab.pdf({
  path: join(out, NAME),
  format: "A4",
  outline: true,
  tagged: true,
  printBackground: true,
  displayHeaderFooter: true,
  headerTemplate: "<span></span>",
  footerTemplate: `<div style="${grey}"><span class="pageNumber"></span></div>`,
  margin: { top: "18mm", bottom: "18mm", left: "16mm", right: "16mm" },
});
await browser.close();
console.log(`${names.length} pages of the site in ${join(out, NAME)}`);

/** The document around the pages: the site's own styles, in the light, and no script. */
function frame(main) {
  const head = page("book/index.html");
  const title = head
    .match(/<title>(.*?)<\/title>/s)[1]
    .split("&#8212;")
    .at(-1)
    .trim();
  const base = relative(out, site).replaceAll("\\", "/");
  const sheets = ["styles/theme.css", "styles/pydata-sphinx-theme.css", "pygments.css"].concat(
    [
      "styles/sphinx-book-theme.css",
      "lab.css",
      "replay.css",
      "question.css",
      "curve.css",
      "review.css",
      "explore.css",
      "vary.css",
      "ratios.css",
      "verdicts.css",
      "yours.css",
    ],
    [page("book/event-loop/phases.html").match(/mystnb\.\w+\.css/)?.[0] ?? "lab.css"],
  );
  return `<!doctype html>
<html lang="en" data-theme="light" data-mode="light">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title>
${sheets.map((file) => `<link rel="stylesheet" href="${base}/_static/${file}">`).join("\n")}
<style>
main { max-width: 48rem; margin: auto; padding: 0 1rem; }
article.bd-article { break-before: page; }
article.bd-article:first-of-type { break-before: auto; }
main nav { break-before: page; }
main nav h2 { font-size: 1.5rem; font-weight: 650; }
p.part { color: var(--lab-muted); margin: 0 0 -0.4rem; }
</style></head>
<body>${main || '<main class="bd-main"><div class="bd-content"><div class="bd-article-container"></div></div></main>'}</body>
</html>
`;
}

/** Parts and their pages, as the sidebar of a page below book/ lists them. Runs in the browser. */
function contents(html) {
  const doc = new DOMParser().parseFromString(html, "text/html");
  const parts = [];
  for (const node of doc.querySelectorAll("nav.bd-links p.caption, nav.bd-links li > a")) {
    if (node.matches("p")) parts.push({ caption: node.textContent.trim(), pages: [] });
    else
      parts
        .at(-1)
        .pages.push(new URL(node.getAttribute("href"), "http://x/book/").pathname.slice(1));
  }
  return parts;
}

/** Append a page; its ids get a prefix, and links to other pages of the book lead into this document. In the browser. */
function add({ name, number, names, part, html }) {
  const doc = new DOMParser().parseFromString(html, "text/html");
  const article = doc.querySelector("article.bd-article");
  const prefix = (i, id) => `p${i}-${id}`;
  const chapterId = (id) => prefix(number, id);
  for (const gone of article.querySelectorAll("script, a.headerlink")) gone.remove();
  // On paper nothing opens.
  for (const answer of article.querySelectorAll(
    ":is(lab-question, lab-answer, lab-review) details, details.lab-on-paper",
  ))
    answer.open = true;
  for (const node of article.querySelectorAll("*")) {
    if (node.id) node.id = chapterId(node.id);
    for (const { name: key, value } of [...node.attributes]) {
      if (/^(aria-(labelledby|describedby|controls)|for|headers)$/.test(key))
        node.setAttribute(key, value.split(/\s+/).map(chapterId).join(" "));
      else if (value.includes("url(#"))
        node.setAttribute(key, value.replaceAll("url(#", `url(#${chapterId("")}`));
      else if (key === "xlink:href" && value.startsWith("#"))
        node.setAttribute(key, `#${chapterId(value.slice(1))}`);
      else if (key === "href") node.setAttribute(key, led(value));
    }
  }
  function led(href) {
    if (href.startsWith("#")) return `#${chapterId(href.slice(1))}`;
    if (/^[a-z]+:/i.test(href)) return href;
    const url = new URL(href, `http://x/${name}`);
    const i = names.indexOf(url.pathname.slice(1));
    if (i < 0) return url.pathname.slice(1);
    return url.hash ? `#${prefix(i, url.hash.slice(1))}` : `#page-${i}`;
  }
  article.id = `page-${number}`;
  if (part) {
    const caption = doc.createElement("p");
    caption.className = "part";
    caption.textContent = part;
    article.prepend(caption);
  }
  const container = document.querySelector(".bd-article-container");
  container.append(document.adoptNode(article));
  if (number === 0) {
    const list = document.createElement("nav");
    list.setAttribute("aria-label", "Contents");
    list.innerHTML = "<h2>Contents</h2><ol></ol>";
    container.append(list);
  } else {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = `#page-${number}`;
    link.textContent = article.querySelector("h1").textContent;
    item.append(link);
    container.querySelector("nav ol").append(item);
  }
}
