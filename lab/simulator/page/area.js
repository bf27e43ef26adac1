// What the panels of a page have in common: the field that a program is typed into, and files that a reader saves.
const { el } = globalThis.LabDom;
const KEY = /Mac|iPhone|iPad/.test(globalThis.navigator.platform) ? "Cmd" : "Ctrl";

/** How a program is run by keyboard. */
export const RUN_KEYS = `${KEY}-Enter in the editor`;

/** A field for a program: at least so many `rows` high; `run` is called for the keys that run it. */
export function programArea({ label, text, rows, onchange, onfocus, run }) {
  const area = el("textarea", {
    "aria-label": label,
    spellcheck: "false",
    autocapitalize: "off",
    autocomplete: "off",
    rows: Math.min(24, Math.max(rows, text.split("\n").length)),
    oninput: () => onchange(area.value),
    onkeydown: (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      run();
    },
    onfocus,
  });
  area.value = text;
  return area;
}

/** Puts the real editor in the place of the field, and gives it; null if it can't be loaded or the panel was closed meanwhile:
 * the field is an editor, too. A reader who types goes on at the same place; with `focus`, others begin at the start.
 */
export async function editorInstead({ area, place, label, onchange, run, leave, focus = true }) {
  try {
    await globalThis.LabSimulator.load("editor.js");
  } catch {
    return null;
  }
  if (!area.isConnected) return null;
  const { selectionStart, value } = area;
  const hadFocus = document.activeElement === area;
  const editor = globalThis.labModelEditor({ place, text: value, label, onchange, run, leave });
  area.remove();
  if (focus || hadFocus) editor.focus(hadFocus ? selectionStart : 0);
  return editor;
}

/** Has the browser save texts or bytes as a file. */
export function saveAs(name, parts, type = "text/javascript") {
  const url = URL.createObjectURL(new Blob(parts, { type }));
  el("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000); // the browser may be asking where to
}
