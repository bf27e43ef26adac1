// <lab-verdicts>, on the page of verdicts: a reader chooses by source and by verdict which cards to see. The address keeps the
// choice (#source=S2&verdict=reversed,no-verdict). An address of one claim (#claim-db-read) shows its card, even if a choice hides
// the card. lab/book/pages/cards.py has the cards and the checkboxes. Without a script the page shows all cards and no checkboxes.

(() => {
  if (customElements.get("lab-verdicts")) return;
  const { afterParsing, reveal, setOff } = LabDom;
  const FACETS = ["source", "verdict"];
  const hashText = () => {
    try {
      return decodeURIComponent(location.hash.slice(1));
    } catch {
      return ""; // the address is not valid
    }
  };

  class Verdicts extends HTMLElement {
    connectedCallback() {
      if (this.form) this.listen();
      else afterParsing(() => this.begin());
    }

    disconnectedCallback() {
      this.away?.abort();
    }

    begin() {
      if (this.form || !this.isConnected) return;
      this.form = this.querySelector("form");
      this.cards = [...this.querySelectorAll(".lab-card")];
      this.boxes = [...this.form.querySelectorAll("input")];
      this.status = this.form.querySelector("[role=status]");
      this.all = this.form.querySelector("button");
      this.form.addEventListener("change", () => this.chosen());
      this.form.addEventListener("submit", (event) => event.preventDefault());
      this.all.addEventListener("click", () => {
        if (this.all.ariaDisabled === "true") return;
        this.tick(() => false);
        this.chosen();
      });
      this.form.hidden = false;
      this.listen();
      this.show();
      this.follow();
    }

    listen() {
      this.away?.abort();
      this.away = new AbortController();
      const { signal } = this.away;
      addEventListener("hashchange", () => this.follow(), { signal });
    }

    tick(wanted) {
      for (const box of this.boxes) box.checked = wanted(box);
    }

    /** The ticked values of each facet. No tick means all values. */
    asked() {
      const ticked = this.boxes.filter((box) => box.checked);
      return FACETS.map((facet) => [
        facet,
        ticked.filter((box) => box.name === facet).map((box) => box.value),
      ]);
    }

    /** Follow the address: set the choice, or show one claim. Any other address changes nothing. */
    follow() {
      const name = hashText();
      const asked = new URLSearchParams(name);
      if (FACETS.some((facet) => asked.has(facet))) {
        const values = Object.fromEntries(FACETS.map((f) => [f, asked.get(f)?.split(",") ?? []]));
        this.tick((box) => values[box.name].includes(box.value));
        this.show();
        return;
      }
      const place = name.startsWith("claim-") && document.getElementById(name);
      if (!place) return;
      if (place.hidden) {
        this.tick(() => false);
        this.show();
      }
      const folded = place.querySelector("details");
      if (folded) folded.open = true;
      reveal(place);
    }

    /** The reader has ticked a box. The address shows the new choice, and the history gets no new entry. */
    chosen() {
      const parts = this.asked().filter(([, values]) => values.length);
      const hash = parts.map(([facet, values]) => `${facet}=${values.join(",")}`).join("&");
      history.replaceState(
        history.state,
        "",
        `${location.pathname}${location.search}${hash && "#"}${hash}`,
      );
      this.show();
    }

    show() {
      const choices = this.asked();
      const fits = (card, facets) =>
        facets.every(([f, values]) => !values.length || values.includes(card.dataset[f]));
      const visible = this.cards.filter((card) => fits(card, choices));
      for (const card of this.cards) card.hidden = !visible.includes(card);
      for (const box of this.boxes) {
        const others = choices.filter(([facet]) => facet !== box.name);
        const count = this.cards.filter(
          (card) => card.dataset[box.name] === box.value && fits(card, others),
        ).length;
        box.parentNode.querySelector(".n").textContent = `(${count})`;
        box.disabled = !count && !box.checked;
      }
      const any = choices.some(([, values]) => values.length);
      setOff(this.all, !any);
      this.status.textContent = any
        ? `${visible.length} of ${this.cards.length} claims are shown.`
        : `All ${this.cards.length} claims are shown.`;
    }
  }

  customElements.define("lab-verdicts", Verdicts);
})();
