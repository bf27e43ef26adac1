// A chapter for a beamer: `make slides NAME=blocking/sync-or-async-files`. Its title, its questions without their answers
// and its figures, in the order of the page, one on each slide, printed by the browser into a PDF. Nothing is written
// twice: all of it is taken from the built page, with the page's own styles.
//   node tools/slides.mjs SITE OUT NAME...

import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { launch, patient } from "../tests/site/browser.mjs";

const WIDE = { width: "13.333in", height: "7.5in" }; // 16:9, what programs for slides take

/** The pages below book/ that can be named. */
function known(site) {
  const book = join(site, "book");
  return readdirSync(book, { recursive: true })
    .filter((file) => file.endsWith(".html"))
    .map((file) => file.replaceAll("\\", "/").slice(0, -".html".length))
    .sort();
}

/**
 * Print the slides of one page. Returns {file, slides}, their titles in order.
 *
 * Throws if there is no such page, or nothing on it to show.
 */
export async function slidesOf(browser, site, out, name) {
  const page = join(site, "book", `${name}.html`);
  if (!existsSync(page))
    throw new Error(`There is no page ${name}. The pages are: ${known(site).join(", ")}`);
  // As it was written: scripts of the page would have put its questions into another form.
  const tab = await browser.newPage({
    viewport: { width: 1280, height: 720 },
    javaScriptEnabled: false,
  });
  patient(tab);
  try {
    await tab.emulateMedia({ colorScheme: "light" });
    await tab.goto(pathToFileURL(page).href, { waitUntil: "load" });
    const slides = await tab.evaluate(rearranged, WIDE);
    if (slides.length < 2)
      throw new Error(`${name} has neither a plot nor a question, so it has no slides.`);
    await tab.evaluate(() => document.fonts.ready);
    mkdirSync(out, { recursive: true });
    const file = join(out, `${name.replaceAll("/", "-")}.pdf`);
    const none = { top: "0", bottom: "0", left: "0", right: "0" };
    await tab.pdf({ path: file, ...WIDE, margin: none, printBackground: true, tagged: true });
    return { file, slides };
  } finally {
    await tab.close();
  }
}

/** Make slides of the page that is shown; returns their titles. Runs in the browser. */
function rearranged({ width, height }) {
  const root = document.documentElement;
  root.dataset.theme = "light";
  root.dataset.mode = "light";
  const article = document.querySelector("article.bd-article");
  const title = article.querySelector("h1");
  const words = (node) => {
    const copy = node.cloneNode(true);
    for (const gone of copy.querySelectorAll("a.headerlink, .headerlink")) gone.remove();
    return copy.textContent.trim();
  };
  const slides = [];
  const slide = (kind, heading, ...content) => {
    const section = document.createElement("section");
    section.className = `slide ${kind}`;
    const top = document.createElement(kind === "first" ? "h1" : "h2");
    top.textContent = heading;
    section.append(top, ...content);
    slides.push(section);
  };
  const text = (tag, said, name = "") => {
    const made = document.createElement(tag);
    made.textContent = said;
    made.className = name;
    return made;
  };
  const site = document.querySelector('meta[property="og:site_name"]')?.content ?? document.title;
  slide("first", words(title), text("p", site.split("—").at(-1).trim()));
  // Text of our own build, in which code and stress are marked up.
  const element = (tag, said, name = "") => {
    const made = text(tag, "", name);
    made.innerHTML = said;
    return made;
  };
  let part = "";
  for (const node of article.querySelectorAll("h2, lab-question, figure.lab-figure")) {
    if (node.matches("h2")) {
      part = words(node);
    } else if (node.matches("figure")) {
      const shown = node.cloneNode(true);
      for (const gone of shown.querySelectorAll("a.lab-data, svg.lab-narrow")) gone.remove();
      const named = node.querySelector("svg > title")?.textContent.trim();
      slide("figure", named || part, shown);
    } else {
      const question = JSON.parse(
        node.querySelector("script[type='application/json']")?.text ?? "null",
      );
      if (!question) continue;
      const list = document.createElement("ul");
      for (const option of question.options ?? []) list.append(element("li", option.text));
      const code = question.code ? [text("pre", question.code)] : [];
      const unit = question.unit ? [element("p", `A number: ${question.unit}.`)] : [];
      slide("question", part, element("p", question.ask, "ask"), ...code, list, ...unit);
    }
  }
  const style = document.createElement("style");
  style.textContent = `
@page { size: ${width} ${height}; margin: 0; }
html, body { background: #fff !important; color: #1f2328; font-size: 18pt; padding: 0 !important; margin: 0 !important; }
.slide { box-sizing: border-box; width: ${width}; height: calc(${height} - 1px); padding: 0.45in 0.7in; overflow: hidden;
  break-after: page; display: flex; flex-direction: column; }
.slide:last-child { break-after: auto; }
.slide :is(h1, h2) { margin: 0 0 0.25in; font-size: 1.3rem; line-height: 1.2; border: 0; padding: 0; }
.slide.first { justify-content: center; }
.slide.first h1 { font-size: 2.2rem; }
.slide :is(p, li) { font-size: 1rem; line-height: 1.4; }
.slide .ask { font-size: 1.15rem; }
.slide pre { font-size: 0.7rem; line-height: 1.35; white-space: pre-wrap; }
.slide.question { font-size: 1rem; }
.slide figure.lab-figure { max-width: none; margin: 0 auto; flex: 1; min-height: 0; width: 100%; display: flex; flex-direction: column; }
.slide figure.lab-figure svg { flex: 1; min-height: 0; width: 100%; height: auto; }
.slide figcaption { font-size: 0.6rem; margin-top: 0.1in; color: inherit; }
`;
  document.body.replaceChildren(...slides, style);
  document.body.className = "";
  // Long code or many options: smaller, rather than cut off.
  for (const one of slides)
    for (let size = 95; one.scrollHeight > one.clientHeight + 1 && size >= 50; size -= 5)
      shrink(one, size);
  function shrink(one, size) {
    for (const each of one.querySelectorAll("p, li, pre")) {
      each.dataset.size ??= Number.parseFloat(getComputedStyle(each).fontSize);
      each.style.fontSize = `${(each.dataset.size * size) / 100}px`;
    }
  }
  return slides.map((one) => one.querySelector("h1, h2").textContent);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [site, out, ...names] = process.argv.slice(2);
  if (names.length === 0) {
    console.error(
      "Write make slides NAME=blocking/sync-or-async-files, with several names " + "in quotes.",
    );
    process.exit(2);
  }
  const browser = await launch();
  try {
    for (const name of names) {
      const { file, slides } = await slidesOf(browser, resolve(site), resolve(out), name);
      console.log(`${slides.length} slides in ${file}`);
    }
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  } finally {
    await browser.close();
  }
}
