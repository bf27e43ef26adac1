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

  /** Load files, and put what `make` gives into the place of the button, until it is left. */
  async function show(place, open, loading, make) {
    if (open.hidden || place.querySelector("[role]")) return;
    const wait = el("span", { role: "status" }, " Opening …");
    place.append(wait);
    try {
      await Promise.all(loading());
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

  /** A button after an element, which opens the panel of its program. */
  function offer(element, { name, source }) {
    if (!hasModel(source)) return;
    const place = el("div", { class: "lab-change-it" });
    const loading = () => [model.load("panel.css", "panel.js"), loadReplay()];
    const make = (leave) => model.open({ place, name, source, leave });
    const open = button("Change it", () => show(place, open, loading, make), {
      "aria-label": `Change it: ${name}`,
    });
    place.append(open);
    (element.closest(".cell") ?? element).after(place);
  }

  /** A button in an element that names a server, which opens the panel of its handler and clients. */
  function offerServer(element, id) {
    const place = el("div", { class: "lab-change-it" });
    element.append(place);
    const files = async () => {
      if (typeof LabNumbers === "undefined") await load("../numbers.js");
      await model.load("panel.css", "server-panel.css", "server-panel.js");
    };
    const make = (leave) => model.serve({ place, id, leave });
    const open = button("Change this server", () => show(place, open, () => [files()], make), {
      "aria-label": `Change this server: ${id}`,
    });
    place.append(open);
  }

  /** A button on the card of an exercise, which opens its program. */
  function offerExercise(card) {
    const place = el("div", { class: "lab-change-it" });
    const best = el("span");
    const sayBest = () => {
      const { best: points, of } = LabDom.storage.read(`lab-exercise:${card.dataset.here}`) ?? {};
      best.textContent = points >= 0 ? ` Your best here: ${points} of ${of} points` : "";
    };
    const loading = () => [model.load("panel.css", "sheet.css", "exercise.js")];
    const make = (leave) => model.write({ place, card, leave, changed: sayBest });
    const open = button("Write it here", () => show(place, open, loading, make));
    sayBest();
    place.append(open, best);
    card.append(place);
  }

  LabDom.afterParsing(() => {
    for (const card of document.querySelectorAll("[data-here]")) offerExercise(card);
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
