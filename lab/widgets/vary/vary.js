// Variations: one parameter changes, and each of its values was measured. The content is JSON (lab/widgets/vary/vary.py), with a
// position for each number. Values that a reader has tried stay visible next to new ones. Ordered values are on a slider, and other
// values on buttons. Without JavaScript the table inside stays open.

(() => {
  if (customElements.get("lab-vary")) return;
  const { el, afterParsing, dataOf, inAddress, followAddress, linkSign, reveal } = LabDom;
  let count = 0;

  class Vary extends HTMLElement {
    connectedCallback() {
      if (this.data) this.listen();
      else afterParsing(() => this.begin());
    }

    disconnectedCallback() {
      this.away?.abort();
    }

    begin() {
      const data = dataOf(this);
      if (this.data || !data || !this.isConnected) return; // already drawn, or without data: the table stays
      this.data = data;
      this.name = `lab-vary-${++count}`;
      // What comes after the page has been asked for: a reader ran its cell.
      const isAsked = document.readyState === "complete";
      this.said = el("p", { class: "told", role: "status" });
      this.why = el("p", { class: "why" });
      this.texts = data.values.map(({ label }) => el("span", { html: label }).textContent);
      const id = this.id.replace(/^vary-/, "");
      this.sign = linkSign("vary", id, "Link to this value");
      this.rows = data.values.map((value, i) => this.row(value, i));
      this.table = this.querySelector(":scope > details");
      this.table.open = false;
      const parts = [
        el(
          "fieldset",
          {},
          el("legend", { html: data.name, id: `${this.name}-of` }),
          el(
            "p",
            { class: "hint" },
            "Guess what another value does, then " +
              `${data.slider ? "move there" : "choose it"}. The values that you have tried ` +
              "stay on the page. ",
            this.sign.link,
          ),
          data.slider ? this.slider() : "",
          ...this.rows.map(({ whole }) => whole),
        ),
        this.said,
        this.why,
        this.table,
        ...this.querySelectorAll(":scope > .notes"),
      ];
      this.fold = el(
        "details",
        { class: "try lab-on-paper", open: isAsked },
        el(
          "summary",
          {},
          el("strong", { html: data.name }),
          " ",
          el("span", { class: "hint" }, this.texts.join(" · ")),
        ),
      );
      this.fold.append(...parts);
      this.append(this.fold);
      this.choose(data.start);
      this.listen();
    }

    listen() {
      const id = this.id.replace(/^vary-/, "");
      this.away = new AbortController();
      followAddress(() => this.follow(inAddress("vary", id)), this.away.signal);
    }

    /** Show the value that the address of the page leads to. */
    follow(address) {
      if (!address) return;
      const at = this.texts.indexOf(address.get("value"));
      const inputs = [...this.querySelectorAll("fieldset input")];
      if (at >= 0) {
        if (this.data.slider) {
          inputs[0].value = at;
          inputs[0].dispatchEvent(new Event("input"));
        } else inputs[at].checked = true;
        this.choose(at);
      }
      this.fold.open = true;
      reveal(this, this.data.slider ? inputs[0] : inputs.find((input) => input.checked));
    }

    /** The slider has a place for each measured value. The numbers of a value appear when the slider comes to rest. */
    slider() {
      const { values, start } = this.data;
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
        output.textContent = this.texts[input.valueAsNumber];
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

    row({ label, code, here: isHere, at, text }, i) {
      const input = this.data.slider
        ? null
        : el("input", {
            type: "radio",
            name: this.name,
            value: i,
            checked: i === this.data.start,
            onchange: () => this.choose(i),
          });
      const numbers = el(
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
      const placeholder = el("span", { class: "untried", "aria-hidden": "true" }, "?");
      const whole = el(
        "div",
        { class: "value" },
        el(
          this.data.slider ? "p" : "label",
          { class: "what" },
          input ?? "",
          el("span", { html: label }),
          isHere ? el("small", {}, " measured here") : "",
          code ? el("code", {}, code) : "",
        ),
        placeholder,
        numbers,
      );
      return { whole, numbers, placeholder };
    }

    choose(number) {
      const { told: text, why = "" } = this.data.values[number];
      this.rows.forEach(({ whole, numbers, placeholder }, i) => {
        whole.classList.toggle("chosen", i === number);
        if (i !== number) return;
        numbers.hidden = false;
        placeholder.hidden = true;
      });
      this.sign.lead({ value: this.texts[number] });
      this.said.innerHTML = text;
      this.why.innerHTML = why;
      this.why.hidden = !why;
    }
  }

  customElements.define("lab-vary", Vary);
})();
