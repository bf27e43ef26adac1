// What the components share (lab/widgets/dom.js), on as much of a document as it asks for.

import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import "../../../lab/widgets/storage.js";
import "../../../lab/widgets/dom.js";

const { el, svg, button, spokenOnly, afterParsing, dataOf, storage, reorder } = globalThis.LabDom;

class Node {
  attributes = {};
  listeners = {};
  children = [];
  constructor(name) {
    this.name = name;
  }
  setAttribute(name, value) {
    this.attributes[name] = String(value);
  }
  addEventListener(kind, then) {
    this.listeners[kind] = then;
  }
  append(...children) {
    this.children.push(...children);
  }
  replaceChildren(...children) {
    this.children = children;
  }
  focus() {
    Node.focused = this;
  }
}

beforeEach(() => {
  globalThis.document = {
    createElement: (name) => new Node(name),
    createElementNS: (space, name) => new Node(`${space} ${name}`),
  };
});
afterEach(() => {
  delete globalThis.document;
  delete globalThis.localStorage;
});

describe("an element", () => {
  test("has the attributes, listeners and children that are given", () => {
    const press = () => {};
    const made = el("p", { class: "x", tabindex: -1, hidden: true, onclick: press }, "a", el("b"));
    assert.deepEqual(made.attributes, { class: "x", tabindex: "-1", hidden: "" });
    assert.equal(made.listeners.click, press);
    assert.deepEqual(
      made.children.map((child) => child.name ?? child),
      ["a", "b"],
    );
  });

  test("has none for false, null and undefined; 0 and an empty text are values", () => {
    const given = { a: false, b: null, c: undefined, d: 0, e: "" };
    const made = el("p", given, null, undefined, 0, "");
    assert.deepEqual(made.attributes, { d: "0", e: "" });
    assert.deepEqual(made.children, [0, ""]);
  });

  test("takes HTML only where it is called so", () => {
    const text = "<img src=x onerror=alert(1)>";
    assert.deepEqual(el("p", {}, text).children, [text]);
    assert.equal(el("p", { html: "<b>x</b>" }).innerHTML, "<b>x</b>");
    assert.equal(el("p", { title: text }).innerHTML, undefined);
  });

  test("of a drawing is in the namespace of drawings", () => {
    assert.equal(svg("path", { d: "M0 0" }).name, "http://www.w3.org/2000/svg path");
  });

  test("that is a button sends no form", () => {
    const made = button("Go", () => {}, { disabled: true });
    assert.deepEqual(made.attributes, { type: "button", disabled: "" });
    assert.deepEqual(spokenOnly("for the ear").attributes, { class: "vh" });
  });
});

describe("a page", () => {
  test("that is still parsed is waited for", () => {
    let parsed = null;
    const order = [];
    document.readyState = "loading";
    document.addEventListener = (kind, then, { once }) => {
      assert.deepEqual([kind, once], ["DOMContentLoaded", true]);
      parsed = then;
    };
    afterParsing(() => order.push("begun"));
    assert.deepEqual(order, []);
    parsed();
    assert.deepEqual(order, ["begun"]);
  });

  test("that is parsed is answered soon, and not in the middle of what is done now", async () => {
    const order = [];
    document.readyState = "interactive";
    afterParsing(() => order.push("begun"));
    order.push("first");
    await null;
    assert.deepEqual(order, ["first", "begun"]);
  });

  test("gives the JSON of an element, and null for none or a broken one", () => {
    const holding = (found) => ({ querySelector: () => found });
    assert.deepEqual(dataOf(holding({ textContent: '{"a":1}' })), { a: 1 });
    assert.equal(dataOf(holding({ textContent: '{"a":' })), null);
    assert.equal(dataOf(holding(null)), null);
  });
});

describe("what a browser keeps", () => {
  const fill = (kept) =>
    Object.defineProperty(globalThis, "localStorage", { value: kept, configurable: true });
  const kept = () => ({
    getItem(key) {
      return Object.hasOwn(this, key) ? this[key] : null;
    },
    setItem(key, text) {
      this[key] = text;
    },
    removeItem(key) {
      delete this[key];
    },
  });

  test("comes back until it is taken away", () => {
    fill(kept());
    assert.equal(storage.write("lab:a", { right: [1, 2] }), true);
    assert.equal(storage.set("lab:b", "text"), true);
    assert.deepEqual(storage.read("lab:a"), { right: [1, 2] });
    assert.equal(storage.get("lab:b"), "text");
    assert.deepEqual(storage.keys("lab:").sort(), ["lab:a", "lab:b"]);
    assert.equal(storage.write("lab:a", null), true);
    assert.equal(storage.read("lab:a"), null);
    assert.deepEqual(storage.keys("lab:"), ["lab:b"]);
  });

  test("and what somebody else left there is none of ours", () => {
    fill({ ...kept(), "lab:a": "{no json" });
    assert.equal(storage.read("lab:a"), null);
    assert.equal(storage.get("lab:a"), "{no json");
  });

  const refuse = () => {
    throw new DOMException("not here", "QuotaExceededError");
  };
  const refusing = {
    "is forbidden": { get: refuse, configurable: true },
    "is absent": { value: null, configurable: true },
    "is full": {
      value: { getItem: () => null, setItem: refuse, removeItem: refuse },
      configurable: true,
    },
  };
  for (const [how, property] of Object.entries(refusing))
    test(`lives as long as the page where keeping ${how}, and is no error`, () => {
      Object.defineProperty(globalThis, "localStorage", property);
      const name = `lab:${how}`;
      assert.equal(storage.get(name), null);
      assert.equal(storage.write(name, { order: [1] }), false);
      assert.deepEqual(storage.read(name), { order: [1] });
      assert.deepEqual(storage.keys(name), [name]);
      storage.write(name, null);
      assert.equal(storage.read(name), null);
      assert.deepEqual(storage.keys(name), []);
    });

  test("is the newer text also where there was room for the older one only", () => {
    const full = { ...kept(), "lab:mode": "light", setItem: refuse };
    fill(full);
    assert.equal(storage.set("lab:mode", "dark"), false);
    assert.equal(storage.get("lab:mode"), "dark");
    full.setItem = kept().setItem;
    assert.equal(storage.set("lab:mode", "auto"), true);
    assert.equal(full["lab:mode"], "auto");
  });
});

describe("a list to be put in order", () => {
  const made = (items = ["a", "b", "c"], name = undefined) => {
    const list = new Node("ol");
    const told = new Node("p");
    const order = reorder({
      list,
      status: told,
      items,
      name,
      button: (label, way, onclick) => button(way, onclick, { title: label }),
      row: (item, buttons, i) => el("li", { n: i }, item, ...buttons),
    });
    const row = (i) => list.children[i].children;
    const press = (i, way) => row(i)[way === "up" ? 1 : 2].listeners.click();
    return { ...order, list, told, row, press };
  };

  test("moves a row by one place, says so, and leaves the focus on the button that was pressed", () => {
    const { items, told, row, press } = made();
    press(0, "down");
    assert.deepEqual(items, ["b", "a", "c"]);
    assert.equal(told.textContent, "a: now 2 of 3");
    assert.equal(Node.focused, row(1)[2]);
    press(1, "down");
    assert.deepEqual(items, ["b", "c", "a"]);
    assert.equal(told.textContent, "a: now last of 3");
    press(1, "up");
    assert.deepEqual(items, ["c", "b", "a"]);
    assert.equal(told.textContent, "c: now first of 3");
    assert.equal(Node.focused, row(0)[1]);
  });

  test("stays as it is at its ends, says that, and keeps the focus", () => {
    const { items, told, row, press } = made();
    assert.equal(row(0)[1].attributes["aria-disabled"], "true");
    assert.equal(row(0)[2].attributes["aria-disabled"], "false");
    assert.equal(row(2)[2].attributes["aria-disabled"], "true");
    for (const one of row(1).slice(1)) assert.equal(one.attributes["aria-disabled"], "false");
    assert.equal(row(0)[1].attributes.disabled, undefined);
    press(0, "up");
    assert.deepEqual(items, ["a", "b", "c"]);
    assert.equal(told.textContent, "a: already first of 3");
    assert.equal(Node.focused, row(0)[1]);
  });

  test("takes a row over several places, as a finger does, and not beyond the ends", () => {
    const { items, move, told } = made();
    move(2, -2, "up");
    assert.deepEqual(items, ["c", "a", "b"]);
    move(0, 9, "up");
    assert.deepEqual(items, ["a", "b", "c"]);
    assert.equal(told.textContent, "c: now last of 3");
  });

  test("leaves the list that was given alone, and names its items as it is told", () => {
    const given = [{ text: "x" }, { text: "y" }];
    const { items, press, row, told } = made(given, (item) => item.text);
    assert.equal(row(0)[2].attributes.title, "Move x down");
    press(0, "down");
    assert.deepEqual(
      given.map(({ text }) => text),
      ["x", "y"],
    );
    assert.equal(items[0], given[1]);
    assert.equal(told.textContent, "x: now last of 2");
  });
});
