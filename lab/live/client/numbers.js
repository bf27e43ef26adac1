// The glued numbers of the prose: yours, with the book's beside it.

/** `names` in the order in which they stand on the page. */
export class GluedNumbers {
  #places = new Map();

  constructor(article, names) {
    const spans = [...article.querySelectorAll(".pasted-text")];
    if (spans.length !== names.length) return; // another page than the one that was built: touch nothing
    names.forEach((name, i) => {
      const key = name.split(":")[0];
      const places = this.#places.get(key) ?? [];
      places.push({ span: spans[i], book: spans[i].textContent });
      this.#places.set(key, places);
    });
  }

  show(pairs) {
    for (const [name, text] of pairs)
      for (const { span, book } of this.#places.get(name) ?? []) {
        span.classList.add("lab-your-value");
        span.replaceChildren(text);
        if (text === book) continue;
        const beside = document.createElement("span");
        beside.className = "lab-book-value";
        beside.textContent = ` (book: ${book})`;
        span.append(beside);
      }
  }

  /** The book's again: those of the names, or all. */
  back(names = this.#places.keys()) {
    for (const name of names)
      for (const { span, book } of this.#places.get(name) ?? []) {
        span.classList.remove("lab-your-value");
        span.textContent = book;
      }
  }
}
