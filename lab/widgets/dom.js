// Functions that all components use. This is a classic script, because a page opened from a file may load no modules. The page
// loads it first.

(() => {
  /** onNAME adds a listener, and true an empty attribute. False, null and undefined add nothing. */
  function made(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else if (name === "html")
        node.innerHTML = value; // our own HTML: lab/widgets/markup.py has escaped the text in it
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
  /** Text for screen readers only. */
  const spokenOnly = (text) => el("span", { class: "vh" }, text);
  /** Switch a button off. Unlike a disabled button, it keeps the focus. */
  const setOff = (control, off) => control.setAttribute("aria-disabled", String(off));

  /** Call back when the children of an element exist. While a page is parsed, an element comes before its children. */
  function afterParsing(then) {
    if (document.readyState === "loading")
      document.addEventListener("DOMContentLoaded", then, { once: true });
    else queueMicrotask(then);
  }

  /** The JSON inside an element, or null if the element has no valid JSON. */
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
    /** Null removes the entry. Returns whether the browser stored the change. If not, it lasts until the reader leaves the page. */
    set(key, text) {
      const { local } = LabStorage;
      return text === null ? local.removeItem(key) : local.setItem(key, text);
    },
    /** The entry as JSON, or null if the entry is not JSON. */
    read(key) {
      try {
        return JSON.parse(storage.get(key));
      } catch {
        return null;
      }
    },
    /** `component`: the component of the answer. If the browser keeps no answers, a note below it says so, once a page. */
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
    // A screen reader reads out a text only if its element was on the page before.
    setTimeout(() => {
      note.textContent =
        "This browser does not let the book store anything, so your answers last only until " +
        "you leave this page.";
    });
  }

  /** Let a reader put `list` in order with two buttons in each row. `status` is a live region that says what has moved.
   * Returns the items in their present order, and move(from, by, way); the button of that way then has the focus.
   */
  function reorder({ list, status, items: initial, row, button, name = String }) {
    const items = [...initial];
    const last = items.length - 1;
    const draw = (focus) => {
      list.replaceChildren(
        ...items.map((item, i) => {
          const buttons = ["up", "down"].map((way) => {
            const by = way === "up" ? -1 : 1;
            const moveButton = button(`Move ${name(item)} ${way}`, way, () => move(i, by, way));
            setOff(moveButton, i + by < 0 || i + by > last);
            return moveButton;
          });
          if (focus?.at === i) focus.button = buttons[focus.way === "up" ? 0 : 1];
          return row(item, buttons, i);
        }),
      );
      focus?.button.focus();
    };
    const move = (from, by, way) => {
      const at = Math.max(0, Math.min(last, from + by));
      items.splice(at, 0, ...items.splice(from, 1));
      const place = at === 0 ? "first" : at === last ? "last" : at + 1;
      status.textContent = `${name(items[at])}: ${at === from ? "already" : "now"} ${place} of ${items.length}`;
      draw({ at, way });
    };
    draw();
    return { items, move };
  }

  // ---- Addresses: `#replay=ID&step=7`, `#vary=ID&value=64` -------------------------------------------------------------

  // The address that a component followed last: one that a cell makes again later leaves the reader where they are.
  let lastAddress = null;

  /** What the address of the page says to the component of this kind and id, or null if the address means another. */
  function inAddress(kind, id) {
    const hash = new URLSearchParams(location.hash.slice(1));
    if (!id || hash.get(kind) !== id) return null;
    lastAddress = location.href;
    return hash;
  }

  /** Call back now, and with each change of the address. While a page loads, its parts move, so the first call waits for the end. */
  function followAddress(follow, signal) {
    const first = () => lastAddress !== location.href && follow();
    if (document.readyState === "complete") queueMicrotask(first);
    else addEventListener("load", first, { once: true, signal });
    addEventListener("hashchange", follow, { signal });
  }

  /** Bring an element into sight, open what it is folded in, and give the focus to it or to a part of it. */
  function reveal(element, part = element) {
    for (let up = element; up; up = up.parentElement?.closest("details"))
      if (up.localName === "details") up.open = true;
    element.scrollIntoView();
    if (part.tabIndex < 0) part.tabIndex = -1;
    part.focus({ preventScroll: true });
  }

  /** The sign of a link to what a component shows, and a function that sets its address. A click sets the address of the page and
   * leaves the reader where the reader is; page.js copies the address. Without an id, and in JupyterLab, there is no sign.
   */
  function linkSign(kind, id, name) {
    if (!id || "jpThemeLight" in document.body.dataset)
      return { link: null, lead: () => undefined };
    const link = el("a", { class: "lab-link", "aria-label": name, title: name }, "#");
    const lead = (parts) =>
      link.setAttribute("href", `#${new URLSearchParams({ [kind]: id, ...parts })}`);
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      history.replaceState(history.state, "", link.href);
      lastAddress = location.href;
    });
    return { link, lead };
  }

  const pieces = { el, svg, button, spokenOnly, setOff };
  const addresses = { inAddress, followAddress, reveal, linkSign };
  globalThis.LabDom = { ...pieces, ...addresses, afterParsing, dataOf, storage, reorder };
})();
