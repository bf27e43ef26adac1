// The page of verdicts: <lab-verdicts> lets a reader choose by source and by verdict which cards to see, and keeps the choice in
// the address (#source=S2&verdict=reversed,no-verdict). An address of one claim (#claim-db-read) shows it, whatever hides it.
// lab/book/pages/cards.py has the cards and the boxes to tick; without a script all cards are shown and the boxes are not.

(() => {
  if (customElements.get("lab-verdicts")) return;
  const { whenParsed, setOff } = LabDom;
  const FACETS = ["source", "verdict"];
  const named = () => {
    try {
      return decodeURIComponent(location.hash.slice(1));
    } catch {
      return ""; // somebody's odd address
    }
  };

  class Verdicts extends HTMLElement {
    connectedCallback() {
      if (this.form) this.listen();
      else whenParsed(() => this.begin());
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

    /** What is ticked, by facet: no tick at all asks for everything. */
    asked() {
      const ticked = this.boxes.filter((box) => box.checked);
      return FACETS.map((facet) => [
        facet,
        ticked.filter((box) => box.name === facet).map((box) => box.value),
      ]);
    }

    /** Do what the address says: choose, or show one claim; any other is none of ours. */
    follow() {
      const name = named();
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
      for (let up = place; up; up = up.parentElement?.closest("details")) {
        const folded = up === place ? place.querySelector("details") : up;
        if (folded) folded.open = true;
      }
      place.scrollIntoView();
      place.tabIndex = -1;
      place.focus({ preventScroll: true });
    }

    /** The reader ticked something: the address says it, too, and no step back is added. */
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
      const asked = this.asked();
      const fits = (card, facets) =>
        facets.every(([f, values]) => !values.length || values.includes(card.dataset[f]));
      const shown = this.cards.filter((card) => fits(card, asked));
      for (const card of this.cards) card.hidden = !shown.includes(card);
      for (const box of this.boxes) {
        const others = asked.filter(([facet]) => facet !== box.name);
        const count = this.cards.filter(
          (card) => card.dataset[box.name] === box.value && fits(card, others),
        ).length;
        box.parentNode.querySelector(".n").textContent = `(${count})`;
        box.disabled = !count && !box.checked;
      }
      const any = asked.some(([, values]) => values.length);
      setOff(this.all, !any);
      this.status.textContent = any
        ? `${shown.length} of ${this.cards.length} claims are shown.`
        : `All ${this.cards.length} claims are shown.`;
    }
  }

  customElements.define("lab-verdicts", Verdicts);
})();
