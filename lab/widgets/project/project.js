// <lab-project>, on the page of the project: a reader ticks the steps that are done. This browser keeps the ticks (storage.js).
// lab/book/pages/projects.py has the steps and the boxes. Without a script the page shows the steps alone.

(() => {
  if (customElements.get("lab-project")) return;
  const { afterParsing, storage } = LabDom;
  const PREFIX = "lab-project:"; // followed by the project's name; { version, done: ids of steps }

  class Project extends HTMLElement {
    connectedCallback() {
      afterParsing(() => this.begin());
    }

    disconnectedCallback() {
      this.away?.abort();
    }

    begin() {
      if (!this.isConnected) return;
      this.away?.abort();
      this.away = new AbortController();
      const { signal } = this.away;
      this.key = `${PREFIX}${this.getAttribute("name")}`;
      this.items = [...this.querySelectorAll("li[data-step]")];
      this.sum = this.querySelector(".sum");
      this.whole ??= this.sum.textContent;
      for (const item of this.items) {
        const box = item.querySelector("input");
        box.addEventListener("change", () => this.tick(item.dataset.step, box.checked), { signal });
        item.querySelector("label").hidden = false;
      }
      // Another tab may tick, or forget.
      addEventListener("storage", ({ key }) => (key === null || key === this.key) && this.show(), {
        signal,
      });
      this.show();
    }

    /** The ids of the steps that are done. */
    get done() {
      const done = storage.read(this.key)?.done;
      const ids = this.items.map(({ dataset }) => dataset.step);
      return new Set(Array.isArray(done) ? done.filter((id) => ids.includes(id)) : []);
    }

    tick(id, isDone) {
      const doneIds = this.done;
      if (isDone) doneIds.add(id);
      else doneIds.delete(id);
      const value = doneIds.size ? { version: 1, done: [...doneIds].sort() } : null;
      storage.write(this.key, value, this);
      this.show();
    }

    show() {
      const doneIds = this.done;
      let minutes = 0;
      for (const item of this.items) {
        const isDone = doneIds.has(item.dataset.step);
        item.querySelector("input").checked = isDone;
        if (!isDone) minutes += Number(item.dataset.minutes);
      }
      const left = minutes ? `about ${minutes} minutes are left` : "all of them";
      this.sum.textContent = doneIds.size
        ? `You have done ${doneIds.size} of ${this.items.length} steps: ${left}.`
        : this.whole;
    }
  }

  customElements.define("lab-project", Project);
})();
