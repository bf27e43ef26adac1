// Variations: one thing is changed, and each of its values has been measured. The content is JSON (lab/widgets/vary/vary.py), which has
// placed every number; what was tried stays beside what is tried next. Values that stand in an order are on a slider, others on buttons.
// Without JavaScript the table inside stays, open.

(() => {
  if (customElements.get("lab-vary")) return;
  const { el, whenParsed, dataOf } = LabDom;
  let count = 0;

  class Vary extends HTMLElement {
    connectedCallback() {
      whenParsed(() => this.begin());
    }

    begin() {
      const data = dataOf(this);
      if (this.data || !data) return; // drawn before, or nothing to draw from: the table stays
      this.data = data;
      this.name = `lab-vary-${++count}`;
      this.said = el("p", { class: "told", role: "status" });
      this.why = el("p", { class: "why" });
      this.rows = data.values.map((value, i) => this.row(value, i));
      this.table = this.querySelector(":scope > details");
      this.table.open = false;
      this.table.before(
        el(
          "fieldset",
          {},
          el("legend", { html: data.name, id: `${this.name}-of` }),
          el(
            "p",
            { class: "hint" },
            `Guess what another value does, then ${data.slider ? "move there" : "choose it"}. What you have tried stays.`,
          ),
          data.slider ? this.slider() : "",
          ...this.rows.map(({ whole }) => whole),
        ),
        this.said,
        this.why,
      );
      this.choose(data.start);
    }

    /** Only what was measured has a place on it. What a value gave is shown where the slider comes to rest. */
    slider() {
      const { values, start } = this.data;
      const words = values.map(({ label }) => el("span", { html: label }).textContent);
      const output = el("output", { for: this.name, "aria-live": "off" });
      const input = el("input", {
        type: "range",
        id: this.name,
        min: 0,
        max: values.length - 1,
        value: start,
        list: `${this.name}-at`,
        "aria-labelledby": `${this.name}-of`,
        onchange: () => this.choose(input.valueAsNumber),
      });
      const tell = () => {
        output.textContent = words[input.valueAsNumber];
        input.setAttribute("aria-valuetext", output.textContent);
      };
      input.addEventListener("input", tell);
      tell();
      const places = values.map((_, i) => el("option", { value: i }));
      return el(
        "p",
        { class: "slide" },
        input,
        output,
        el("datalist", { id: `${this.name}-at` }, ...places),
      );
    }

    row({ label, code, here, at, text }, i) {
      const input = this.data.slider
        ? null
        : el("input", {
            type: "radio",
            name: this.name,
            value: i,
            checked: i === this.data.start,
            onchange: () => this.choose(i),
          });
      const shown = el(
        "div",
        { class: "numbers", hidden: true },
        ...this.data.measures.map(({ name, unit }, k) => {
          const size = at[k] === null ? "" : `--at: ${at[k]}`;
          const mark = at[k] === null ? "none" : this.data.scale === "log" ? "dot" : "bar";
          return el(
            "p",
            {},
            el("span", { class: "of" }, `${name} `),
            mark === "none"
              ? ""
              : el("span", { class: `axis ${mark}`, style: size, "aria-hidden": "true" }),
            el("span", { class: "number" }, unit ? `${text[k]}\u00a0${unit}` : text[k]),
          );
        }),
      );
      const untried = el("span", { class: "untried", "aria-hidden": "true" }, "?");
      const whole = el(
        "div",
        { class: "value" },
        el(
          this.data.slider ? "p" : "label",
          { class: "what" },
          input ?? "",
          el("span", { html: label }),
          here ? el("small", {}, " measured here") : "",
          code ? el("code", {}, code) : "",
        ),
        untried,
        shown,
      );
      return { whole, shown, untried };
    }

    choose(chosen) {
      const { told, why = "" } = this.data.values[chosen];
      this.rows.forEach(({ whole, shown, untried }, i) => {
        whole.classList.toggle("chosen", i === chosen);
        if (i !== chosen) return;
        shown.hidden = false;
        untried.hidden = true;
      });
      this.said.innerHTML = told;
      this.why.innerHTML = why;
      this.why.hidden = !why;
    }
  }

  customElements.define("lab-vary", Vary);
})();
