// What every page does besides what its theme does: files that are saved, paper, and what eyes miss on a phone and ears
// without them. Each part stands alone; without a script a page has all its text.

(() => {
  const root = document.documentElement;
  const here = document.currentScript.src;
  const all = (what, inside = document) => [...inside.querySelectorAll(what)];

  // Downloads. From disk a browser shows a linked file instead of saving it, and lets no script read it. It does run a
  // script that lies beside it and hands over the text.
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[download]");
    if (!link || location.protocol !== "file:" || !link.href.startsWith("file:")) return;
    event.preventDefault();
    const script = document.createElement("script");
    globalThis.labFile = (text) => {
      const url = URL.createObjectURL(new Blob([text]));
      const save = document.createElement("a");
      save.href = url;
      save.download = link.download;
      save.click();
      setTimeout(() => URL.revokeObjectURL(url), 60_000); // the browser may be asking where to
    };
    script.onload = () => script.remove();
    script.onerror = () => location.assign(link.href);
    script.src = `${link.href}.js`;
    document.head.append(script);
  });

  // No handler stands in the page itself: its policy allows none.
  document.addEventListener("click", (event) => {
    if (event.target.closest?.("[data-lab-print]")) print();
  });

  // Paper is light.
  let shown = null;
  let opened = [];
  addEventListener("beforeprint", () => {
    shown ??= root.dataset.theme;
    root.dataset.theme = "light";
    opened = all("details.lab-on-paper:not([open])");
    for (const part of opened) part.open = true;
  });
  addEventListener("afterprint", () => {
    for (const part of opened) part.open = false;
    opened = [];
    if (shown) root.dataset.theme = shown;
    shown = null;
  });

  // A page that opens at its top lays out what lies far below (lab.css) piece by piece, and answers meanwhile. Whoever does
  // more than look gets the rest at once. The theme measures every listing on load: it has to wait for them.
  if (root.dataset.opening !== undefined) {
    const PIECE = 150; // elements for each frame
    const HURRY = ["pointerdown", "click", "keydown", "wheel", "touchmove", "beforeprint"];
    const seen = ({ top, bottom }) => bottom > 0 && top < innerHeight;
    // Whatever one of them runs into, the page has to open.
    const begin = (replay) => {
      try {
        replay.begin?.();
      } catch (error) {
        reportError(error);
      }
    };
    const finish = () => layOut(Number.POSITIVE_INFINITY);
    const load = (event) => {
      event.stopImmediatePropagation();
      held = true;
      if (document.hidden) return finish(); // it has no frames
      const next = () => layOut(PIECE) || requestAnimationFrame(() => setTimeout(next));
      next();
    };
    let held = false;
    let left;
    const layOut = (most) => {
      if (root.dataset.opened !== undefined) return true;
      left ??= all(
        ".bd-article > section > section:nth-of-type(n + 3) :not(section):is(section > *)",
      );
      const piece = [];
      for (let size = 0; left.length > 0 && size < most; ) {
        piece.push(left.shift());
        size += piece.at(-1).getElementsByTagName("*").length + 1;
      }
      const inSight = piece.map((block) => seen(block.getBoundingClientRect()));
      piece.forEach((block, i) => {
        for (const replay of all("loop-replay", block)) begin(replay);
        block.classList.add(inSight[i] ? "lab-apart" : "lab-laid-out");
      });
      if (left.length > 0) return false;
      removeEventListener("load", load, true);
      for (const kind of HURRY) removeEventListener(kind, finish, true);
      for (const replay of all("loop-replay")) begin(replay);
      if (held) dispatchEvent(new Event("load"));
      root.dataset.opened = "";
      return true;
    };
    addEventListener("load", load, true);
    for (const kind of HURRY) addEventListener(kind, finish, { capture: true, passive: true });
  }

  // The search page runs its scripts before it has a body.
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", start);
  else start();

  function start() {
    const say = speaker();
    const drawers = ["primary", "secondary"].flatMap((which) => drawer(which) ?? []);
    const states = () => {
      for (const state of drawers) state();
    };
    colourMode();
    copyLinks(say);
    keepFocus(say, states);
    code();
    tables();
    cards();
    cuts();
    foldParts();
    ticks();
    openTarget();
    addEventListener("hashchange", openTarget);
    skipToContents();
    menu();
    frontPicture();
    document.getElementById("pst-search-dialog")?.setAttribute("aria-label", "Search the book");
    addEventListener("resize", states);
    states();
  }

  /** The sign of a link sets the address, and copies it where the browser lets a page do that. A site that knows its own address has
   * a small page for each verdict (lab/book/pages/verdict_pages.py): that address is copied, because a preview shows the verdict.
   */
  function copyLinks(say) {
    const here = document.querySelector('meta[property="og:url"]')?.content;
    const verdicts = new Set(
      all('[id^="claim-"] .lab-box a.lab-link, .lab-card .top a').map(({ hash }) => hash),
    );
    const shared = (link) => {
      if (!here || !verdicts.has(link.hash)) return link.href;
      const root = document.documentElement.dataset.content_root;
      return new URL(`${root}verdict/${link.hash.slice("#claim-".length)}.html`, here).href;
    };
    document.addEventListener("click", async (event) => {
      const link = event
        .composedPath()
        .find((part) => part.matches?.("a.lab-link[href^='#'], .lab-card .top a"));
      if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
      try {
        await navigator.clipboard.writeText(shared(link));
      } catch {
        return say("The address of this page now leads to this place");
      }
      say("Address copied");
      link.dataset.copied = "";
      setTimeout(() => delete link.dataset.copied, 2000);
    });
  }

  /** The parts of the sidebar fold: that of this page is open, and all are where the page belongs to none. */
  function foldParts() {
    const captions = all("#pst-primary-sidebar .bd-links p.caption").filter((caption) =>
      caption.nextElementSibling?.matches("ul"),
    );
    const hasPage = (list) => list.querySelector(".current") !== null;
    const isPart = captions.some((caption) => hasPage(caption.nextElementSibling));
    for (const caption of captions) {
      const list = caption.nextElementSibling;
      const part = document.createElement("details");
      const summary = document.createElement("summary");
      part.className = "lab-part";
      part.open = !isPart || hasPage(list);
      caption.replaceWith(part);
      summary.append(caption);
      part.append(summary, list);
    }
  }

  function decoded(text) {
    try {
      return decodeURIComponent(text);
    } catch {
      return text; // no address of ours
    }
  }

  /** A link to an exercise shows its task, and one to a section or into it all of the section. */
  function openTarget() {
    const target = document.getElementById(decoded(location.hash.slice(1)));
    if (!target) return;
    const selector = target.matches(".lab-exercise")
      ? "details.asked"
      : ":scope > details.lab-fold";
    const fold = target.querySelector(selector);
    if (fold) fold.open = true;
    const around = target.closest("details");
    if (!around) return;
    for (let up = around; up; up = up.parentElement.closest("details")) up.open = true;
    target.scrollIntoView(); // where a browser does not open what a link leads into
  }

  /** Signs of what the reader has answered, in the sidebar. A reader without an answer loads nothing for them. */
  function ticks() {
    const load = () => {
      document.removeEventListener("lab-question", load);
      for (const name of ["./page-questions.js?v=0", "./ticks.js?v=0"])
        document.head.append(
          Object.assign(document.createElement("script"), {
            src: new URL(name, here),
            async: false,
          }),
        );
    };
    const { local } = globalThis.LabStorage;
    const isAny = ["lab-question:", "loop-replay:"].some((key) => local.keys(key).length > 0);
    if (isAny) load();
    else document.addEventListener("lab-question", load);
  }

  /** The picture of the front page plays once: give it a button that holds it and plays it again. */
  function frontPicture() {
    for (const figure of all(".lab-front")) {
      const button = figure.querySelector("button");
      const motions = figure.getAnimations({ subtree: true });
      if (motions.length === 0) continue; // the reader asked for less motion
      const those = (state) => motions.filter(({ playState }) => playState === state);
      const label = () => {
        const isHeld = those("paused").length > 0;
        button.textContent = isHeld
          ? "Go on"
          : those("running").length > 0
            ? "Pause"
            : "Play again";
      };
      button.addEventListener("click", () => {
        const held = those("paused");
        const running = those("running");
        if (held.length > 0) for (const motion of held) motion.play();
        else if (running.length > 0) for (const motion of running) motion.pause();
        else for (const motion of motions) motion.play();
        label();
      });
      figure.addEventListener("animationend", label);
      label();
      button.hidden = false;
    }
  }

  /** One short line that is shown for a moment and read out. */
  function speaker() {
    const line = document.createElement("p");
    line.className = "lab-said";
    line.setAttribute("role", "status");
    document.body.append(line);
    let timer;
    return (text) => {
      line.textContent = ""; // the same words again are news, too
      clearTimeout(timer);
      timer = setTimeout(() => {
        line.textContent = text;
        timer = setTimeout(() => line.replaceChildren(), 4000);
      }, 50);
    };
  }

  // The theme and the copy button take the focus off what was pressed: the next key would go to the page, and who
  // listens would be nowhere.
  function keepFocus(say, states) {
    const PRESSED = ".theme-switch-button, .sidebar-toggle, .search-button__button, .copybtn";
    let opener = null;
    // Until the next picture is drawn the field of a dialog that was closed still has the focus.
    const nowhere = () => {
      const at = document.activeElement;
      return at === document.body || Boolean(at?.closest("dialog:not([open])"));
    };
    const after = (pressed) => {
      const dialog = document.querySelector("dialog[open]");
      opener = dialog ? pressed : null;
      if (!dialog) pressed.focus({ preventScroll: true });
      dialog?.querySelector("[aria-current=page]")?.scrollIntoView({ block: "center" });
      if (pressed.matches(".theme-switch-button")) say(colourMode());
      if (pressed.matches(".copybtn"))
        say(pressed.matches(".success") ? "Copied" : "The browser did not allow copying");
      states();
    };
    // On the way down: the theme stops some clicks on their way up.
    const click = ({ target }) => {
      const pressed = target.closest?.(PRESSED);
      if (pressed) setTimeout(after, 0, pressed);
      const link = target.closest?.("dialog a[href^='#']");
      if (!link) return;
      opener = null; // the reader goes on where the link leads, not where the drawer was opened
      setTimeout(() => {
        link.closest("dialog").close();
        setTimeout(goOn, 0, document.getElementById(decodeURIComponent(link.hash.slice(1))));
      });
    };
    const goOn = (place) => {
      if (!place) return;
      place.tabIndex = -1;
      place.focus({ preventScroll: true });
    };
    const closed = () =>
      setTimeout(() => {
        if (nowhere()) opener?.focus({ preventScroll: true });
        opener = null;
        states();
      });
    document.addEventListener("click", click, true);
    document.addEventListener("close", closed, true);
  }

  /** Say on the button which of the three modes is on; return it. */
  function colourMode() {
    const mode = { light: "light", dark: "dark" }[root.dataset.mode] ?? "same as the system";
    for (const button of all(".theme-switch-button")) button.title = `Colour mode: ${mode}`;
    return `Colour mode: ${mode}`;
  }

  /** Name a sidebar, which is a dialog in a narrow window, and let it be closed; return how to tell its state. */
  function drawer(which) {
    const toggle = document.querySelector(`.${which}-toggle`);
    const sidebar = document.getElementById(`pst-${which}-sidebar`);
    const dialog = document.getElementById(`pst-${which}-sidebar-modal`);
    if (!toggle || !sidebar || !dialog) return null;
    dialog.setAttribute("aria-label", toggle.title);
    const close = document.createElement("button");
    close.type = "button";
    close.className = "btn lab-close";
    close.textContent = "Close";
    close.addEventListener("click", () => dialog.close());
    sidebar.prepend(close); // the theme moves what is in it to the dialog and back
    sidebar.querySelector("a.current[href='#']")?.setAttribute("aria-current", "page");
    toggle.setAttribute("aria-controls", sidebar.id);
    const wide = matchMedia("(min-width: 992px)");
    return () => {
      const aside = which === "primary" && wide.matches;
      const open = dialog.open || (aside && !sidebar.matches(".pst-sidebar-hidden"));
      toggle.setAttribute("aria-expanded", String(open));
    };
  }

  // The menu of downloads: shown until something else is pressed or has the focus.
  function menu() {
    const button = document.querySelector("[data-lab-menu]");
    if (!button) return;
    const list = button.nextElementSibling;
    const isOpen = () => list.matches(".show");
    const show = (open) => {
      for (const part of [button, list]) part.classList.toggle("show", open);
      button.setAttribute("aria-expanded", String(open));
    };
    document.addEventListener("click", ({ target }) => show(button.contains(target) && !isOpen()));
    button.parentElement.addEventListener("focusout", ({ relatedTarget, currentTarget }) => {
      if (relatedTarget && !currentTarget.contains(relatedTarget)) show(false);
    });
    button.parentElement.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && isOpen()) {
        show(false);
        button.focus();
      }
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      show(true);
      const items = all("a, button", list);
      const next = items.indexOf(document.activeElement) + step;
      (items[next] ?? items.at(step > 0 ? 0 : -1)).focus();
    });
  }

  // Code, its language, and what it printed are told apart by their looks only.
  function code() {
    const names = { javascript: "JavaScript", sh: "shell", sql: "SQL", rust: "Rust" };
    all(".bd-article div[class*='highlight-']:not(.output)").forEach((block, i) => {
      const language = /highlight-(\w+)/.exec(block.className)[1];
      const name = /python/.test(language) ? "Python" : (names[language] ?? "text");
      group(block, `Code ${i + 1}, ${name}`);
      block.querySelector(".copybtn")?.setAttribute("aria-label", `Copy code ${i + 1}`);
      const output = block.closest(".cell")?.querySelector(":scope > .cell_output");
      if (output) group(output, `Output of code ${i + 1}`);
    });
  }

  function group(element, name) {
    element.setAttribute("role", "group");
    element.setAttribute("aria-label", name);
  }

  // The name of a row that is a formula is none to browsers.
  function tables() {
    for (const formula of all("tbody th math")) {
      const name = document.createElement("span");
      name.className = "visually-hidden";
      name.textContent = all("mi, mn, mo, mtext", formula)
        .map((part) => part.textContent)
        .join(" ");
      formula.setAttribute("aria-hidden", "true");
      formula.after(name);
    }
  }

  // On a phone a table that does not fit becomes a card for each row (lab.css): the name of its column stands before a value.
  // Only what is told with display: block loses its role, so each part gets it back.
  function cards() {
    const PLACES = ":is(.lab-scroll, .pst-scrollable-table-container, .text_html)";
    const ROLES = {
      table: "table",
      tbody: "rowgroup",
      "tbody tr": "row",
      td: "cell",
      "tbody th": "rowheader",
    };
    const narrow = matchMedia("(max-width: 499px)");
    const fits = (table) => {
      const place = table.closest(PLACES);
      return place.scrollWidth <= place.clientWidth + 1 || place.clientWidth === 0;
    };
    const make = (table) => {
      table.classList.add("lab-cards");
      if (table.getAttribute("role")) return;
      const heads = all("thead tr:last-child > *", table);
      for (const row of all("tbody tr", table)) {
        if (row.cells.length !== heads.length) continue; // a cell across columns has no one name
        heads.forEach((head, i) => {
          const cell = row.cells[i];
          if (cell.colSpan !== 1) return;
          cell.dataset.label = head.abbr || head.textContent.trim();
          if (cell.childNodes.length < 2) return;
          const value = document.createElement("span"); // all of it is beside the name
          value.append(...cell.childNodes);
          cell.append(value);
        });
      }
      for (const [parts, role] of Object.entries(ROLES))
        for (const part of [table, ...all(parts, table)].filter((one) => one.matches(parts)))
          part.setAttribute("role", role);
    };
    const look = () => {
      const found = all(`.bd-article ${PLACES} table`);
      if (!narrow.matches) for (const table of found) table.classList.remove("lab-cards");
      else for (const table of found.filter((one) => !fits(one))) make(table);
    };
    addEventListener("load", look);
    narrow.addEventListener("change", look);
    document.addEventListener("toggle", look, true);
  }

  // Of long listings and tables the beginning is seen (lab.css). Whatever leads into the rest opens it: the button, the focus, a
  // search in the page and an address, which scroll there.
  function cuts() {
    const CUT = ".lab-in-part:not(table), .pst-scrollable-table-container:has(> table.lab-in-part)";
    all(`.bd-article :is(${CUT})`).forEach((part, i) => {
      const rows = all("tbody tr", part).length;
      const count =
        rows > 0 ? `${rows} rows` : `${part.textContent.trimEnd().split("\n").length} lines`;
      part.id ||= `lab-in-part-${i}`;
      const more = document.createElement("button");
      const show = (isOpen) => {
        part.classList.toggle("lab-all", isOpen);
        more.setAttribute("aria-expanded", String(isOpen));
        more.textContent = isOpen ? "Only the beginning" : `All ${count}`;
        if (!isOpen) part.scrollTop = 0;
      };
      more.type = "button";
      more.className = "lab-rest";
      more.setAttribute("aria-controls", part.id);
      more.addEventListener("click", () => show(!part.matches(".lab-all")));
      // In a listing it may be what is inside that scrolls.
      part.addEventListener("scroll", ({ target }) => target.scrollTop > 0 && show(true), true);
      part.addEventListener("focusin", ({ target }) => target !== part && show(true));
      document.addEventListener("selectionchange", () => {
        const selection = document.getSelection();
        if (!selection.isCollapsed && part.contains(selection.anchorNode)) show(true);
      });
      show(false);
      part.after(more);
    });
  }

  // The contents of a page come after it, more than a hundred stops of the Tab key away.
  function skipToContents() {
    const skip = document.getElementById("pst-skip-link");
    const contents = document.querySelector("nav.page-toc");
    if (!skip || !contents?.id) return;
    contents.tabIndex = -1;
    const more = skip.cloneNode(true);
    more.id = "lab-skip-to-contents";
    const link = more.querySelector("a");
    link.textContent = "Skip to the contents of this page";
    link.href = `#${contents.id}`;
    link.addEventListener("click", (event) => {
      event.preventDefault();
      // Where the page is narrow, they are in a drawer, and its button is to be seen.
      const toggles = [...document.querySelectorAll(".secondary-toggle")];
      const drawer = toggles.find((toggle) => toggle.offsetWidth > 0);
      if (drawer) drawer.click();
      else contents.focus();
    });
    skip.after(more);
  }
})();
