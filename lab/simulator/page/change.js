// "Change it" below each program that the model can run; on the page of the Loop Lab, the lab. This loads with
// every page, and everything else with the first press. The build writes where that lies and which Nodes there are.

(() => {
  const { folder, nodes, modules } = __MODEL__;
  if (typeof LabDom === "undefined" || Object.keys(nodes).length === 0) return;
  const { el, button } = LabDom;
  const model = { folder: new URL(folder, document.currentScript.src).href, nodes };
  globalThis.LabSimulator = model;
  const NEEDS = /(?:require\(|import\(|from|import)\s*["'](?:node:)?([\w./-]+)["']/g;
  const hasModel = (source) =>
    [...source.matchAll(NEEDS)].every(([, name]) => modules.includes(name));

  const loads = new Map();
  const load = (name) => {
    if (!loads.has(name))
      loads.set(
        name,
        new Promise((resolve, reject) => {
          const at = `${model.folder}${name}`;
          const make = name.endsWith(".css")
            ? el("link", { rel: "stylesheet", href: at, onload: resolve, onerror: reject })
            : el("script", { src: at, onload: resolve, onerror: reject });
          document.head.append(make);
        }),
      );
    return loads.get(name);
  };
  model.load = (...names) => Promise.all(names.map(load));

  /** The replay, which comes with pages that have one, and numbers, which it needs. */
  async function loadReplay() {
    if (customElements.get("loop-replay")) return;
    if (typeof LabNumbers === "undefined") await load("../numbers.js");
    await model.load("../replay.css", "../replay.js");
  }

  /** A button in `place`, which loads `files` and opens what `make` makes. */
  function opener(place, words, about, files, make) {
    const open = button(words, press, { "aria-label": `${words}: ${about}` });
    async function press() {
      if (place.childElementCount > 1) return;
      const wait = el("span", { role: "status" }, " Opening …");
      place.append(wait);
      try {
        await files();
      } catch {
        wait.textContent = " The editor could not be loaded: load the page again.";
        return;
      }
      wait.remove();
      open.hidden = true;
      const leave = () => {
        open.hidden = false;
        open.focus();
      };
      await make(leave).open();
    }
    place.append(open);
  }

  /** A button after an element, which opens the panel of its program. */
  function offer(element, { name, source }) {
    if (!hasModel(source)) return;
    const place = el("div", { class: "lab-change-it" });
    opener(
      place,
      "Change it",
      name,
      () => Promise.all([model.load("panel.css", "panel.js"), loadReplay()]),
      (leave) => model.open({ place, name, source, leave }),
    );
    (element.closest(".cell") ?? element).after(place);
  }

  /** A button in an element that names a server, which opens the panel of its handler and clients. */
  function offerServer(element, id) {
    const place = el("div", { class: "lab-change-it" });
    element.append(place);
    opener(
      place,
      "Change this server",
      id,
      async () => {
        if (typeof LabNumbers === "undefined") await load("../numbers.js");
        await model.load("panel.css", "server-panel.css", "server-panel.js");
      },
      (leave) => model.serve({ place, id, leave }),
    );
  }

  LabDom.afterParsing(() => {
    for (const replay of document.querySelectorAll("loop-replay:not([drop])")) {
      const data = LabDom.dataOf(replay);
      if (typeof data?.source === "string") offer(replay, data);
    }
    for (const block of document.querySelectorAll("[class*='lab-program-']:has(pre)")) {
      const [, name, kind] = /lab-program-(\S+?)-([cm]js)/.exec(block.className) ?? [];
      if (name)
        offer(block, { name: `${name}.${kind}`, source: block.querySelector("pre").textContent });
    }
    for (const element of document.querySelectorAll("[class*='lab-server-']"))
      offerServer(element, /lab-server-(\S+)/.exec(element.className)[1]);
    const place = document.querySelector(".lab-loop-lab");
    if (place) model.load("panel.css", "panel.js", "lab.js").then(() => model.lab(place));
  });
})();
