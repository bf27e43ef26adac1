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

  const loads = {};
  const load = (name) => {
    loads[name] ??= new Promise((resolve, reject) => {
      const at = `${model.folder}${name}`;
      const onerror = () => reject(delete loads[name]); // who asks again, loads again
      const make = name.endsWith(".css")
        ? el("link", { rel: "stylesheet", href: at, onload: resolve, onerror })
        : el("script", { src: at, onload: resolve, onerror });
      document.head.append(make);
    });
    return loads[name];
  };
  model.load = (...names) => Promise.all(names.map(load));

  const loadNumbers = () => typeof LabNumbers === "undefined" && load("../numbers.js");

  /** The replay, which comes with pages that have one, and numbers, which it needs. */
  async function loadReplay() {
    if (customElements.get("loop-replay")) return;
    await loadNumbers();
    await model.load("../replay.css", "../replay.js");
  }

  /** Puts a button into `place`, which loads files, and shows what `make` gives until a reader leaves it. */
  function offer(place, words, name, loading, make) {
    const open = button(words, press, name && { "aria-label": `${words}: ${name}` });
    async function press() {
      if (open.hidden || place.querySelector("[role]")) return;
      const wait = el("span", { role: "status" }, " Opening …");
      place.append(wait);
      try {
        await loading();
      } catch {
        wait.textContent = " The editor could not be loaded. Reload the page.";
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

  const placeOfButton = () => el("div", { class: "lab-change-it" });

  /** A button after an element, which opens the panel of its program. */
  function offerProgram(element, { name, source }) {
    if (!hasModel(source)) return;
    const place = placeOfButton();
    const loading = () => Promise.all([model.load("panel.css", "panel.js"), loadReplay()]);
    offer(place, "Change it", name, loading, (leave) => model.open({ place, name, source, leave }));
    (element.closest(".cell") ?? element).after(place);
  }

  /**
   * A button for an element that names a server, which opens the panel of its handler and clients. What stands in the element
   * tells readers of the notebook that the web page has it.
   */
  function offerServer(element, id) {
    const place = placeOfButton();
    const loading = async () => {
      await loadNumbers();
      await model.load("panel.css", "server-panel.css", "server-panel.js");
    };
    offer(place, "Change this server", id, loading, (leave) => model.serve({ place, id, leave }));
    element.replaceChildren(place);
  }

  model.prefix = "lab-exercise:"; // of what a browser keeps of exercises
  /** That of an exercise: {name, text, best, of}; `best` only where it is one of the points that the exercise has today. */
  model.kept = (card) => {
    const kept = LabDom.storage.read(model.prefix + card.dataset.here);
    let of = 0;
    for (const { textContent } of card.querySelectorAll(".points"))
      of += Number.parseFloat(textContent);
    return { ...kept, of, best: kept?.of === of ? kept.best : undefined };
  };

  /** A button on the card of an exercise, which opens its program. */
  function offerExercise(card) {
    const place = placeOfButton();
    const best = el("span");
    const sayBest = () => {
      const { best: points, of } = model.kept(card);
      best.textContent = points >= 0 ? ` Your best here: ${points} of ${of} points` : "";
    };
    const loading = () => model.load("panel.css", "sheet.css", "exercise.js");
    const make = (leave) => model.write({ place, card, leave, changed: sayBest });
    offer(place, "Write it here", "", loading, make);
    sayBest();
    place.append(best);
    card.append(place);
  }

  LabDom.afterParsing(() => {
    for (const card of document.querySelectorAll("[data-here]")) offerExercise(card);
    for (const replay of document.querySelectorAll("loop-replay:not([drop])")) {
      const data = LabDom.dataOf(replay);
      if (typeof data?.source === "string") offerProgram(replay, data);
    }
    for (const block of document.querySelectorAll("[class*='lab-program-']:has(pre)")) {
      const [, name, kind] = /lab-program-(\S+?)-([cm]js)/.exec(block.className) ?? [];
      if (name)
        offerProgram(block, {
          name: `${name}.${kind}`,
          source: block.querySelector("pre").textContent,
        });
    }
    for (const element of document.querySelectorAll("[class*='lab-server-']"))
      offerServer(element, /lab-server-(\S+)/.exec(element.className)[1]);
    const place = document.querySelector(".lab-loop-lab");
    if (place) model.load("panel.css", "panel.js", "lab.js").then(() => model.lab(place));
  });
})();
