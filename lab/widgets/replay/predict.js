// The reader's prediction of the order in which a program prints its lines. The page asks for it before the replay, and keeps it.

(() => {
  const { lineOf, nodeOf, ordersOf } = LoopReplay.model;
  const LINES = [2, 12];

  // ---- The question and its judgement, without a page ------------------------------------------------------------------

  const texts = (items) => items.map((item) => item.text);
  const same = (a, b) => a.length === b.length && a.every((text, i) => text === b[i]);

  /** The lines to put in order, or null if the program is not suitable: too few or too many lines, or all lines equal. */
  function itemsOf(data) {
    const first = data.versions[0]?.orders[0]?.lines ?? [];
    if (first.length < LINES[0] || first.length > LINES[1]) return null;
    if (new Set(first).size < 2) return null;
    const printed = data.versions[0].recordings[0]?.events ?? [];
    const items = first.map((text, i) => {
      const row = printed.find((event) => event[1] === "out" && event[6] === text);
      return { text, line: row?.[5] ?? null, i };
    });
    items.sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || a.i - b.i);
    const orders = ordersOf(data);
    // Many readers guess the order in the source. The list must not start with an order that is already right.
    for (
      let turn = 0;
      turn < items.length && orders.some((o) => same(o.lines, texts(items)));
      turn++
    )
      items.push(items.shift());
    return items;
  }

  function commonPrefix(a, b) {
    let n = 0;
    while (n < a.length && n < b.length && a[n] === b[n]) n += 1;
    return n;
  }

  /** Judge a prediction: { right, good, order }. `good` is the number of right lines, compared with the nearest observed order. */
  function judge(data, lines) {
    let best = null;
    for (const order of ordersOf(data)) {
      const good = commonPrefix(lines, order.lines);
      if (!best || good > best.good) best = { good, order };
    }
    return { ...best, right: best.good === best.order.lines.length && best.good === lines.length };
  }

  /** The judgement of a prediction in words. */
  function verdict(data, prediction, { right, good, order }) {
    const { runs, count, lines, origin, o } = order;
    const isModel = origin === "model";
    const name = `${isModel ? "the " : ""}${nodeOf(order)}`;
    if (right) {
      const isAlone = ordersOf(data).length === 1;
      if (isModel) {
        const rank = o === 0 ? "its likeliest order" : "one of its orders";
        return `Right. For ${name}, this is ${isAlone ? "the only order" : rank}.`;
      }
      const times = count > 0 ? `in ${count} of ${runs} runs` : "while recording";
      const others = isAlone ? "" : " Other orders were also seen.";
      return `Right. ${name} printed this order ${times}.${others}`;
    }
    const much =
      good === 0
        ? "The first line is already different:"
        : `The first ${good === 1 ? "line is" : `${good} lines are`} right. Then`;
    return (
      `${much} you said “${prediction[good]}”, and ${name} printed ` +
      `“${lines[good] ?? "nothing more"}”. The replay starts at the step that decided ` +
      "it."
    );
  }

  /** The recording that shows an order best: a recording of that order, or else any recording of that Node. */
  function recordingOf(recordings, { v, o }) {
    const its = recordings.findIndex((run) => run.v === v && run.recording.order === o);
    const other = ({ v: at, recording, version }) => at === v && version.orders[recording.order];
    return its >= 0 ? its : Math.max(0, recordings.findIndex(other));
  }

  /** The step at which the callback that printed line number `n` began; undefined if it was never printed. */
  function decision(model, n) {
    const out = model.printed.filter((line) => !line.error)[n];
    if (!out) return undefined;
    const at = (event) => model.steps.findIndex((step) => step.at === event);
    const began = at(model.stacks[out.at]?.run ?? out.at);
    return began >= 0 ? began : at(out.at);
  }

  function hash(text) {
    let h = 5381;
    for (let i = 0; i < text.length; i++) h = ((h * 33) ^ text.charCodeAt(i)) >>> 0;
    return h.toString(36);
  }

  /** The key of a prediction in the storage. An edited program has a different key. */
  const keyOf = (data) => `loop-replay:${hash(`${data.name}\n${data.source}`)}`;

  LoopReplay.predict = { itemsOf, judge, verdict, recordingOf, decision, keyOf };
  if (typeof customElements === "undefined" || customElements.get("loop-replay")) return;

  // ---- The reader's order --------------------------------------------------------------------------------------------

  const { el, storage, reorder } = LabDom;
  const { icon, button, list, aside, source } = LoopReplay.pieces;

  class Prediction {
    /** box : the element that asks; view : the replay, which is covered until the answer */
    constructor(data, items, box, view) {
      Object.assign(this, { data, items, box, view });
      this.key = keyOf(data);
      // The order of a program that the reader has changed is no answer to a question of the book.
      this.isKept = data.origin !== "model";
      const order = this.isKept ? storage.read(this.key)?.order : null;
      if (Array.isArray(order) && same([...order].sort(), texts(items).sort())) this.judged(order);
      else this.ask();
    }

    ask() {
      this.view.pause();
      this.view.cover(true);
      this.box.hidden = false;
      const picks = list("ol", { class: "picks", "aria-label": "Your order" });
      const status = el("p", { class: "vh", role: "status" });
      this.order = reorder({
        list: picks,
        status,
        items: this.items,
        name: (item) => item.text,
        button,
        row: (item, moves, i) =>
          el(
            "li",
            { class: "pick", onpointerdown: (event) => this.drag(picks, event, i) },
            el("span", { class: "grip" }, icon("grip")),
            el("code", {}, item.text),
            item.line ? aside("ln", lineOf(item.line)) : null,
            el("span", { class: "arrows" }, ...moves),
          ),
      });
      this.box.replaceChildren(
        el(
          "p",
          { class: "question" },
          "Predict first: in which order does this program print its lines? Drag them, or use the arrows.",
        ),
        el(
          "div",
          { class: "stage" },
          source(this.data.source, "Source to predict"),
          el("div", {}, picks, status),
        ),
        el(
          "p",
          { class: "actions" },
          button("Check", null, () => this.check(), "Check"),
          button(
            "Show the replay without a prediction",
            null,
            () => this.skip(),
            "Show the replay",
          ),
        ),
      );
    }

    drag(picks, event, from) {
      if (event.target.closest("button") || event.button > 0) return;
      // A finger on the row scrolls the page. A finger on the handle moves the row.
      if (event.pointerType !== "mouse" && !event.target.closest(".grip")) return;
      event.preventDefault();
      const row = picks.children[from];
      const start = event.clientY;
      row.setPointerCapture(event.pointerId);
      row.classList.add("dragged");
      const place = (y) => {
        const rows = [...picks.children].filter((other) => other !== row);
        return rows.filter(
          (other) => y > other.getBoundingClientRect().top + other.offsetHeight / 2,
        ).length;
      };
      const onMove = (e) => {
        row.style.transform = `translateY(${e.clientY - start}px)`;
        [...picks.children].forEach((other, i) => {
          const to = place(e.clientY);
          other.classList.toggle("before", other !== row && i === (to >= from ? to + 1 : to));
        });
      };
      const finish = (e) => {
        row.removeEventListener("pointermove", onMove);
        const to = e.type === "pointerup" ? place(e.clientY) : from;
        if (to !== from) return this.order.move(from, to - from, "up");
        row.style.transform = "";
        row.classList.remove("dragged");
      };
      row.addEventListener("pointermove", onMove);
      row.addEventListener("pointerup", finish, { once: true });
      row.addEventListener("pointercancel", finish, { once: true });
    }

    skip() {
      const { box, view } = this;
      box.hidden = true;
      view.cover(false);
      view.reserve();
      view.go(view.walk.first);
      if (view.wanted) view.seek(view.wanted);
      view.wanted = null; // a link is followed once
      view.parts.next.focus();
    }

    check() {
      const order = texts(this.order.items);
      this.keep(order);
      this.judged(order);
      this.box.querySelector(".verdict").focus();
    }

    /** The first order counts, as the first answer does for questions. Null: the page asks again. */
    keep(order) {
      if (!this.isKept) return;
      const record = storage.read(this.key);
      const first = [record?.first, record?.order].find(Array.isArray);
      const began = first ? { first, at: record.at } : { first: order, at: Date.now() };
      storage.write(this.key, { order, ...began }, this.box.getRootNode().host);
      document.dispatchEvent(new CustomEvent("lab-question", { detail: this.key })); // for the sidebar
    }

    judged(order) {
      const { box, data, view } = this;
      const judgement = judge(data, order);
      const { right, good } = judgement;
      const note = (i) => (i < good ? " right" : i === good ? " first difference" : "");
      box.hidden = false;
      view.cover(false);
      box.replaceChildren(
        el(
          "p",
          { class: `verdict ${right ? "right" : "wrong"}`, tabindex: -1 },
          el("strong", {}, right ? "✓ " : "✗ "),
          verdict(data, order, judgement),
        ),
        el(
          "ol",
          { class: "answer", "aria-label": "Your prediction" },
          ...order.map((text, i) =>
            el(
              "li",
              { class: i < good ? "good" : i === good ? "bad" : null },
              el("code", {}, text),
              LabDom.spokenOnly(note(i)),
            ),
          ),
        ),
        el(
          "p",
          { class: "actions" },
          button(
            "Predict again (your first order counts)",
            null,
            () => this.again(),
            "Predict again",
          ),
        ),
      );
      view.select(recordingOf(view.recordings, judgement.order));
      const { walk } = view;
      const decided = decision(view.model, good) ?? walk.last;
      view.go(right ? walk.first : walk.nearest(decided));
    }

    again() {
      this.keep(null);
      this.ask();
      this.box.querySelector('.picks button[aria-disabled="false"]').focus();
    }
  }

  LoopReplay.Prediction = Prediction;
})();
