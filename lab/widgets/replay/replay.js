// <loop-replay>: steps through a recorded trace of Node's event loop. No dependencies; classic scripts, so that it also
// runs in pages opened from a file. Data: an inline <script type="application/json"> child as written by lab.trace.
// Attributes: `predict` asks for the order of the output first; `drop` accepts a dropped .trace.json.

(() => {
  if (typeof customElements === "undefined" || customElements.get("loop-replay")) return;

  const STYLE_URL = document.currentScript?.src?.replace(/replay\.js(\?.*)?$/, "replay.css$1");
  const { el } = LabDom;
  const { View, Prediction } = LoopReplay;
  const { isTrace, recordingsOf, goThrough } = LoopReplay.model;
  const { whenNear } = LoopReplay.pieces;

  /** Follow the theme of the page (book, JupyterLab or a bare page) by the brightness of its background. */
  function watchTheme(host, signal) {
    const apply = () => {
      // The book names its theme. Reading the background would cost a layout of the page.
      const { theme } = document.documentElement.dataset;
      if (theme === "light" || theme === "dark")
        return host.toggleAttribute("data-dark", theme === "dark");
      let node = host;
      let color = "rgba(0, 0, 0, 0)";
      while (node && /rgba\(.*, 0\)|transparent/.test(color)) {
        node = node.parentElement;
        if (node) color = getComputedStyle(node).backgroundColor;
      }
      const parts = color.match(/[\d.]+/g)?.map(Number) ?? [];
      const known = node && parts.length >= 3;
      const scheme = getComputedStyle(document.documentElement).colorScheme;
      const dark = known
        ? 0.299 * parts[0] + 0.587 * parts[1] + 0.114 * parts[2] < 128
        : scheme.includes("dark") && matchMedia("(prefers-color-scheme: dark)").matches;
      host.toggleAttribute("data-dark", dark);
    };
    apply();
    const watch = new MutationObserver(apply);
    for (const node of [document.documentElement, document.body])
      watch.observe(node, {
        attributes: true,
        attributeFilter: [
          "class",
          "style",
          "data-theme",
          "data-mode",
          "data-jp-theme-light",
          "data-jp-theme-name",
        ],
      });
    signal.addEventListener("abort", () => watch.disconnect());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", apply, { signal });
    addEventListener("load", apply, { signal });
  }

  const MOST_BYTES = 30e6; // of a file that is opened
  let count = 0;

  class Replay extends HTMLElement {
    connectedCallback() {
      if (this.shadowRoot) return this.watch(); // the element was removed and comes back
      if (this.begin) return this.nearing.observe(this);
      const script = () => this.querySelector(':scope > script[type="application/json"]');
      if (script() || this.hasAttribute("drop")) {
        if (script() || document.readyState !== "loading") return this.start(script());
      }
      // The parser has read our start tag, but not our children.
      const watch = new MutationObserver(() => {
        const scriptElement = script();
        // The script is complete only when the parser has gone on to the next node or to the end of the page.
        if (!scriptElement || (document.readyState === "loading" && !scriptElement.nextSibling))
          return;
        watch.disconnect();
        this.start(scriptElement);
      });
      watch.observe(this, { childList: true, subtree: true });
      const parsed = () => {
        watch.disconnect();
        if (!this.shadowRoot && (script() || this.hasAttribute("drop"))) this.start(script());
      };
      document.addEventListener("DOMContentLoaded", parsed, { once: true });
    }

    disconnectedCallback() {
      this.view?.rest();
      this.away?.abort();
      this.nearing?.disconnect();
    }

    /** Listen to events outside the element, until it is removed from the page. */
    watch() {
      if (!this.shadowRoot) return;
      this.away?.abort();
      this.away = new AbortController();
      watchTheme(this, this.away.signal);
      this.view?.watch();
      LabDom.followAddress(() => this.follow(), this.away.signal);
    }

    get name() {
      return this.id.replace(/^replay-/, "");
    }

    /** Show the step that the address of the page leads to. */
    follow() {
      const wanted = this.view && LabDom.inAddress("replay", this.name);
      if (!wanted) return;
      this.view.seek(wanted);
      LabDom.reveal(this, this.root);
    }

    start(script) {
      if (this.shadowRoot || this.begin) return;
      this.number = ++count;
      if (document.documentElement.dataset.opening === undefined) return this.show(script);
      // The page has more urgent work. The replay begins when the page is idle, or when the replay is nearly in sight.
      this.nearing = whenNear(this, "100%", () => this.begin());
      this.begin = () => {
        this.nearing.disconnect();
        if (!this.shadowRoot) this.show(script);
      };
    }

    show(script) {
      this.attachShadow({ mode: "open" });
      if (globalThis.LOOP_REPLAY_CSS)
        this.shadowRoot.append(el("style", {}, globalThis.LOOP_REPLAY_CSS));
      else if (STYLE_URL) {
        this.isUnstyled = true;
        this.shadowRoot.append(
          el("link", {
            rel: "stylesheet",
            href: STYLE_URL,
            onload: () => this.styled(),
            onerror: () => this.styled(),
          }),
        );
      }
      document.fonts?.ready.then(() => this.view?.reserve(true));
      this.root = el("section", { class: "lr", "aria-label": "Replay of an event loop" });
      // On paper the replay is what pages without JavaScript show: the table of steps, and the orders that were seen.
      this.shadowRoot.append(el("div", { class: "printed" }, el("slot")), this.root);
      this.watch();
      this.addEventListener("keydown", (event) => this.view?.key(event));
      if (this.hasAttribute("drop")) this.acceptFiles();
      let data = null;
      try {
        data = script ? JSON.parse(script.textContent) : null;
      } catch {
        return this.complain("The trace in this page can't be read.");
      }
      if (data) this.load(data, this.name);
      else this.root.append(this.dropHint());
    }

    /** The styles are there: no box has its size before. */
    styled() {
      this.isUnstyled = false;
      this.view?.reserve(true);
    }

    /** Show a trace: the content of a .trace.json file. name : what addresses call it; a reader's own file has no address */
    load(data, name = "") {
      if (!isTrace(data))
        return this.complain("This file is not a loop trace. Make one with: npm run trace my.js");
      const before = this.view;
      this.clear();
      // Several replays on a page need different names, so that a screen reader can tell them apart.
      this.root.setAttribute("aria-label", `Replay ${this.number}: ${data.name}`);
      const recordings = recordingsOf(data);
      const hint = this.hasAttribute("drop") ? this.dropHint() : "";
      if (recordings.length === 0) {
        this.root.append(hint);
        return this.complain("Nothing was recorded in this trace.");
      }
      this.view = new View(data, recordings, before?.near, name);
      const { head, waits, replay } = this.view.parts;
      const box = el("div", { class: "predict", hidden: true });
      this.root.append(head, waits, box, replay, hint);
      this.view.watch();
      this.view.select(0);
      const items = this.hasAttribute("predict") ? LoopReplay.predict.itemsOf(data) : null;
      if (items) new Prediction(data, items, box, this.view);
    }

    /** Remove everything that is shown, and cancel everything that would be drawn later. */
    clear() {
      this.view?.rest();
      this.view = null;
      this.root.replaceChildren();
    }

    complain(message) {
      this.root.querySelector(".complaint")?.remove();
      this.root.prepend(el("p", { class: "complaint", role: "alert" }, message));
    }

    // -- files dropped ---------------------------------------------------------------------------------------------

    dropHint() {
      const input = el("input", {
        type: "file",
        accept: ".json,application/json",
        "aria-label": "Open a trace file",
        onchange: () => this.open(input.files[0]),
      });
      return el(
        "p",
        { class: "drop" },
        "Drop a ",
        el("code", {}, ".trace.json"),
        " file here, or open one: ",
        input,
      );
    }

    acceptFiles() {
      const over = (on) => (event) => {
        event.preventDefault();
        this.root.classList.toggle("over", on);
      };
      this.addEventListener("dragover", over(true));
      this.addEventListener("dragleave", over(false));
      this.addEventListener("drop", (event) => {
        over(false)(event);
        this.open(event.dataTransfer?.files[0]);
      });
    }

    async open(file) {
      if (!file) return;
      const longText = `${file.name} is too long to be drawn. Trace a shorter run.`;
      if (file.size > MOST_BYTES) return this.complain(longText);
      let data = null;
      try {
        data = JSON.parse(await file.text());
      } catch {
        return this.complain(`${file.name} is not JSON. Make a trace with: npm run trace my.js`);
      }
      const damageText = `${file.name} is damaged. Make it again with: npm run trace my.js`;
      try {
        goThrough(data);
      } catch (error) {
        // The present replay stays.
        return this.complain(error.message === "long" ? longText : damageText);
      }
      const asked = this.shadowRoot.activeElement !== null;
      try {
        this.load(data);
      } catch {
        this.clear();
        this.root.append(this.dropHint());
        this.complain(damageText);
      }
      // The focused element is gone, so the focus goes to the replay, which has a new name.
      if (!asked || this.shadowRoot.activeElement) return;
      this.root.tabIndex = -1;
      this.root.focus();
    }
  }

  customElements.define("loop-replay", Replay);
})();
