// What the components have in common. A classic script, loaded first: a page opened from a file may load no modules.

(() => {
  /** onNAME is a listener, true an empty attribute; false, null and undefined are none. */
  function made(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else if (name === "html")
        node.innerHTML = value; // ours: lab/widgets/markup.py has escaped it
      else if (value === true) node.setAttribute(name, "");
      else if (value !== false && value !== null && value !== undefined)
        node.setAttribute(name, value);
    }
    node.append(...children.filter((child) => child !== null && child !== undefined));
    return node;
  }

  /** el("p", { class: "x", onclick }, "text", child) */
  const el = (tag, attributes = {}, ...children) =>
    made(document.createElement(tag), attributes, children);
  const svg = (tag, attributes = {}, ...children) =>
    made(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
  const button = (text, onclick, attributes = {}) =>
    el("button", { type: "button", onclick, ...attributes }, text);
  /** For the ear alone. */
  const hidden = (text) => el("span", { class: "vh" }, text);
  /** A button at an end keeps the focus, which a disabled one would lose. */
  const setOff = (one, off) => one.setAttribute("aria-disabled", String(off));

  /** Call back when the children of an element are there, too: while a page is parsed they follow it. */
  function whenParsed(then) {
    if (document.readyState === "loading")
      document.addEventListener("DOMContentLoaded", then, { once: true });
    else queueMicrotask(then);
  }

  /** The JSON inside an element; null if there is none that can be read. */
  function dataOf(element) {
    try {
      return JSON.parse(
        element.querySelector(':scope > script[type="application/json"]').textContent,
      );
    } catch {
      return null;
    }
  }

  /** What this browser keeps (storage.js). */
  const storage = {
    get: (key) => LabStorage.local.getItem(key),
    /** Null takes it away. Says whether the browser has done it: if not, it is so until the reader leaves the page. */
    set(key, text) {
      const { local } = LabStorage;
      return text === null ? local.removeItem(key) : local.setItem(key, text);
    },
    /** As JSON; null, too, for what somebody else has left there. */
    read(key) {
      try {
        return JSON.parse(storage.get(key));
      } catch {
        return null;
      }
    },
    /** `component`: whose answer it is; the reader is told there, once a page, if the browser does not keep answers. */
    write(key, value, component) {
      const isKept = storage.set(key, value === null ? null : JSON.stringify(value));
      if (!isKept && value !== null && component) sayNotKept(component);
      return isKept;
    },
    keys: (prefix) => LabStorage.local.keys(prefix),
  };

  let isNotKeptSaid = false;
  function sayNotKept(component) {
    if (isNotKeptSaid || !component.isConnected) return;
    isNotKeptSaid = true;
    const note = el("p", { class: "lab-not-kept", role: "status" });
    component.after(note);
    // A text is read out when it comes into a place that is there already.
    setTimeout(() => {
      note.textContent =
        "This browser does not let the book keep anything: your answers last until you leave this page.";
    });
  }

  /** Let `list` be put in order with two buttons in each row; `told`, a live region, says what was done.
   * Returns the items as they are now, and move(from, by, the way of the button that has the focus then).
   */
  function reorder({ list, told, items: given, row, button, name = String }) {
    const items = [...given];
    const last = items.length - 1;
    const draw = (focus) => {
      list.replaceChildren(
        ...items.map((item, i) => {
          const buttons = ["up", "down"].map((way) => {
            const by = way === "up" ? -1 : 1;
            const one = button(`Move ${name(item)} ${way}`, way, () => move(i, by, way));
            setOff(one, i + by < 0 || i + by > last);
            return one;
          });
          if (focus?.at === i) focus.one = buttons[focus.way === "up" ? 0 : 1];
          return row(item, buttons, i);
        }),
      );
      focus?.one.focus();
    };
    const move = (from, by, way) => {
      const at = Math.max(0, Math.min(last, from + by));
      items.splice(at, 0, ...items.splice(from, 1));
      const place = at === 0 ? "first" : at === last ? "last" : at + 1;
      told.textContent = `${name(items[at])}: ${at === from ? "already" : "now"} ${place} of ${items.length}`;
      draw({ at, way });
    };
    draw();
    return { items, move };
  }

  const pieces = { el, svg, button, hidden, setOff };
  globalThis.LabDom = { ...pieces, whenParsed, dataOf, storage, reorder };
})();
