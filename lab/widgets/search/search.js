// The search page: pages that hold the words of `?q=`, the best first, each with its sections.
//
// `labIndex`, a file that the build writes (lab/book/site/search_index.py), has every page with its title, keywords, headings
// and how often each word is in its text. MiniSearch ranks pages by all of that. The text of a page that is found is loaded,
// and MiniSearch ranks its sections among each other. A page that has all words comes before one that has some. A word may
// be the beginning of a longer one, and may have a wrong letter.

(() => {
  const PLACES = 3; // sections shown of a page
  const PAGES = 20;
  const OPEN = 12; // pages with their sections: the text of each is a script of some kilobytes
  const FEW = 3; // pages with all words: where there are fewer, pages with some of them follow
  const EXCERPT = 200; // characters
  const ENDINGS = /(?:ings?|ed|es|s)$/;
  const WORD = /[\p{L}\p{N}]+/gu;
  const MATCHING = {
    prefix: (word) => word.length > 2,
    fuzzy: (word) => (word.length > 5 ? 0.2 : false),
    weights: { prefix: 0.4, fuzzy: 0.2 },
  };

  /** The same for a word and its plural, for blocks, blocked and blocking. */
  const stem = (word) => {
    const lower = word.toLowerCase();
    return lower.length > 4 ? lower.replace(ENDINGS, "") : lower;
  };
  const words = (text) => text.match(WORD) ?? [];
  const index = (fields, documents) => {
    const search = new globalThis.MiniSearch({ fields, tokenize: words, processTerm: stem });
    search.addAll(documents);
    return search;
  };

  /** The text of each page: its words as often as they are there, in any order. */
  function textsOf({ pages, words: counts }) {
    const texts = pages.map(() => []);
    for (const [word, found] of Object.entries(counts)) {
      let page = 0;
      for (let i = 0; i < found.length; i += 2) {
        page += found[i];
        texts[page].push(`${word} `.repeat(found[i + 1]));
      }
    }
    return texts.map((pieces) => pieces.join(""));
  }

  const indexes = new Map();
  /** The index of all pages, made once. */
  function indexOf(site) {
    if (!indexes.has(site)) {
      const texts = textsOf(site);
      const documents = site.pages.map((page, id) => ({ ...page, id, text: texts[id] }));
      indexes.set(site, index(["title", "about", "keywords", "headings", "text"], documents));
    }
    return indexes.get(site);
  }

  /** Find pages. `site` is { pages: [{ page, title, about, keywords, headings }, ...], words: { word: [pages further,
   *  times, ...] } }; returns [{ page, title, about, ... }, ...], the best first. */
  function find(site, query) {
    if (words(query).length === 0) return [];
    const pages = indexOf(site);
    const options = { ...MATCHING, boost: { title: 6, keywords: 6, about: 2, headings: 2 } };
    const whole = pages.search(query, { ...options, combineWith: "AND" });
    const isEnough = whole.length >= FEW;
    const some = isEnough ? [] : pages.search(query, { ...options, combineWith: "OR" });
    const ids = new Set([...whole, ...some].map(({ id }) => id));
    return [...ids].slice(0, PAGES).map((id) => site.pages[id]);
  }

  /** Find sections of a page that is found. `all` is [[id, heading, text], ...]; returns [{ id, heading, text }, ...]. */
  function places(all, title, query) {
    const sections = all
      .filter(([, heading]) => heading !== title)
      .map(([id, heading, text]) => ({ id, heading, text }));
    return index(["heading", "text"], sections)
      .search(query, { ...MATCHING, boost: { heading: 2 } })
      .slice(0, PLACES)
      .map(({ id }) => sections.find((section) => section.id === id));
  }

  /** A stretch of the text around the first of the words, cut between words. */
  function excerpt(text, query) {
    const stems = words(query).map(stem);
    const hits = [...text.matchAll(WORD)].filter(([word]) => isHit(word, stems));
    const at = hits[0]?.index ?? 0;
    let start = Math.max(0, at - EXCERPT / 3);
    if (start > 0) start = text.indexOf(" ", start) + 1;
    const end =
      text.length - start <= EXCERPT ? text.length : text.lastIndexOf(" ", start + EXCERPT);
    return `${start > 0 ? "… " : ""}${text.slice(start, end)}${end < text.length ? " …" : ""}`;
  }
  const isHit = (word, stems) => stems.some((one) => stem(word).startsWith(one));

  /** The text with the words of the query marked. */
  function marked(text, query) {
    const stems = words(query).map(stem);
    const pieces = [];
    let from = 0;
    for (const { 0: word, index: at } of text.matchAll(WORD)) {
      if (!isHit(word, stems)) continue;
      pieces.push(text.slice(from, at), element("mark", {}, word));
      from = at + word.length;
    }
    return [...pieces, text.slice(from)];
  }

  function element(name, attributes, ...children) {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...children);
    return node;
  }

  function show(query, results, into) {
    const url = (page, id) =>
      `${page}?highlight=${encodeURIComponent(words(query).join(" "))}${id ? `#${id}` : ""}`;
    const items = results.map(({ page, title, about }, rank) => {
      const item = element("li", {}, element("a", { href: url(page) }, ...marked(title, query)));
      item.firstChild.className = "lab-page";
      item.append(element("p", { class: "context" }, ...marked(about, query)));
      if (rank >= OPEN) return item;
      load(page).then((all) => {
        const sections = places(all, title, query).map(({ id, heading, text }) => {
          const link = element("a", { href: url(page, id) }, ...marked(heading, query));
          link.className = "lab-place";
          const context = marked(excerpt(text, query), query);
          return element("li", {}, link, element("p", { class: "context" }, ...context));
        });
        if (sections.length > 0) item.append(element("ul", {}, ...sections));
      });
      return item;
    });
    if (items.length > 0)
      into.append(
        element("h2", {}, "Search Results"),
        element("ul", { class: "search" }, ...items),
      );
  }

  const texts = {};
  /** The sections of a page, from the script with its text. */
  const load = (page) =>
    new Promise((loaded, failed) => {
      const script = element("script", { src: `search-texts/${page.replace(/html$/, "js")}` });
      script.onload = () => loaded(texts[page]);
      script.onerror = failed;
      document.head.append(script);
    });

  function start() {
    const query = new URLSearchParams(location.search).get("q")?.trim();
    const field = document.querySelector(".bd-search-container input");
    field.focus();
    if (!query) return;
    field.value = query;
    document.title = `“${query}” - ${document.title}`;
    const results = find(globalThis.labIndex, query);
    show(query, results, document.getElementById("search-results"));
    const count = results.length;
    document.querySelector(".lab-found").textContent =
      count > 0
        ? `${count} ${count === 1 ? "page" : "pages"} found for “${query}”.`
        : `Nothing was found for “${query}”. Check the spelling, or try fewer or shorter words.`;
  }

  globalThis.LabSearch = {
    find,
    places,
    excerpt,
    texts: (page, sections) => {
      texts[page] = sections;
    },
  };
  if (globalThis.document) document.addEventListener("DOMContentLoaded", start);
})();
