// What comes back from a kernel, as the built page shows it: the same elements, the same classes.

const GLUED = "application/papermill.record/text/plain";
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours of terminals begin with one
const ANSI = /\u001b\[[0-9;?]*[A-Za-z]/g;

/** Text as a terminal leaves it: without colours, each line as it was written last. */
export const plain = (text) =>
  text
    .replace(ANSI, "")
    .replace(/\r\n/g, "\n")
    .replace(/^[^\n]*\r(?!\n)/gm, "");

/** Collects the outputs of one cell. `changed()` is called after each. */
export class Outputs {
  list = [];
  #changed;
  #clear = false;

  constructor(changed, list = []) {
    this.#changed = changed;
    this.list = list;
  }

  /** A message of the kernel's iopub channel. */
  take({ header, content }) {
    const type = header.msg_type;
    if (type === "clear_output") {
      if (content.wait) this.#clear = true;
      else this.list = [];
      return this.#changed();
    }
    if (
      !["stream", "display_data", "execute_result", "error", "update_display_data"].includes(type)
    )
      return undefined;
    if (this.#clear) {
      this.list = [];
      this.#clear = false;
    }
    const id = content.transient?.display_id;
    if (type === "update_display_data") {
      for (const one of this.list) if (one.id === id) one.data = content.data;
    } else if (type === "stream") {
      const last = this.list.at(-1);
      if (last?.type === "stream" && last.name === content.name) last.text += content.text;
      else this.list.push({ type, name: content.name, text: content.text });
    } else if (type === "error") {
      const { ename, evalue, traceback } = content;
      this.list.push({ type, name: ename, value: evalue, text: traceback.join("\n") });
    } else {
      this.list.push({ type: "display", id, data: content.data, metadata: content.metadata });
    }
    return this.#changed();
  }
}

/** The glued numbers among outputs, as [name, text]. */
export function glued(list) {
  return list
    .filter((one) => one.data?.[GLUED] !== undefined && one.metadata?.scrapbook)
    .map((one) => [one.metadata.scrapbook.name, unquoted(String(one.data[GLUED]))]);
}

/** A text as the kernels write it for MyST-NB: quoted by Python or by JavaScript; a number as it is. */
export function unquoted(text) {
  const quote = text[0];
  if (!(quote === "'" || quote === '"') || text.at(-1) !== quote || text.length < 2) return text;
  const codes = { n: "\n", t: "\t", r: "\r" };
  return text
    .slice(1, -1)
    .replace(/\\(?:x([\da-f]{2})|u([\da-f]{4})|U([\da-f]{8})|(.))/gi, (_, x, u, long, one) =>
      one === undefined
        ? String.fromCodePoint(Number.parseInt(x ?? u ?? long, 16))
        : (codes[one] ?? one),
    );
}

/** Whether there is anything to be seen. */
export const shows = (list) => list.some((one) => element(one) !== null);

/** The HTML in outputs, to see which components they need. */
export const htmlOf = (list) => list.map((one) => one.data?.["text/html"] ?? "").join("");

/** The element for one output; null for what a page does not show. */
export function element(output) {
  if (output.type === "stream")
    return plain(output.text).trim()
      ? lines(
          `output ${output.name === "stderr" ? "stderr" : "stream"} highlight-myst-ansi notranslate`,
          plain(output.text),
        )
      : null;
  if (output.type === "error") {
    // Without the rule that begins it: 75 characters, which are three lines on a phone.
    const text = plain(output.text).replace(/^-+\n/, "");
    const failed = lines("output traceback highlight-none notranslate", text);
    failed.classList.add("lab-live-error");
    return failed;
  }
  const { data } = output;
  if (data["text/html"] !== undefined) {
    if (!data["text/html"].trim()) return null;
    const shown = box("output text_html");
    // As in the built page. Scripts that come this way are not run by any browser, and the policy of the page
    // refuses handlers and frames.
    shown.innerHTML = data["text/html"];
    return shown;
  }
  for (const [type, address] of [
    ["image/svg+xml", (text) => `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`],
    ["image/png", (text) => `data:image/png;base64,${text}`],
  ])
    if (data[type] !== undefined) {
      const image = document.createElement("img");
      image.alt = data["text/plain"] ?? "A picture that this cell made";
      image.src = address(String(data[type]));
      const shown = box("output");
      shown.append(image);
      return shown;
    }
  const text = data["text/plain"];
  return text === undefined
    ? null
    : lines("output text_plain highlight-myst-ansi notranslate", plain(String(text)));
}

function box(classes) {
  const made = document.createElement("div");
  made.className = classes;
  return made;
}

function lines(classes, text) {
  const outer = box(classes);
  const inner = box("highlight");
  const pre = document.createElement("pre");
  pre.textContent = text.endsWith("\n") ? text : `${text}\n`;
  // Long lines scroll, for those without a pointer, too.
  pre.tabIndex = 0;
  inner.append(pre);
  outer.append(inner);
  return outer;
}

/** Give what stands beside another output ids of its own, and what names them, too. Returns what undoes it. */
export function otherIds(output, beside) {
  const twice = [...output.querySelectorAll("[id]")]
    .map(({ id }) => id)
    .filter((id) => beside.querySelector(`[id="${CSS.escape(id)}"]`));
  const undo = [];
  for (const node of twice.length > 0 ? output.querySelectorAll("*") : [])
    for (const { name, value } of [...node.attributes]) {
      const replacement = value
        .replace(/url\((["']?)#([^"')]+)\1\)/g, (all, _, id) =>
          twice.includes(id) ? `url(#${id}-book)` : all,
        )
        .replace(/^#(.+)$/, (all, id) => (twice.includes(id) ? `${all}-book` : all));
      const named = /^(id|for|aria-(labelledby|describedby|controls))$/.test(name);
      const words = named
        ? value.split(" ").map((word) => (twice.includes(word) ? `${word}-book` : word))
        : [replacement];
      if (words.join(" ") === value) continue;
      undo.push(() => node.setAttribute(name, value));
      node.setAttribute(name, words.join(" "));
    }
  return () => {
    for (const back of undo) back();
  };
}
