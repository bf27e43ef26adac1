// How much one cell may show, whichever way it comes: its console, programs that inherit its streams,
// displays. Counted in the kernel, because what counts in the cell's own process can be gone round.
"use strict";

const MIB = 1024 * 1024;
// A loop that prints for ever must not fill the memory of the notebook.
const LIMIT_CHARS = 16 * MIB;
// What a display costs a notebook and a page, however little is in it.
const DISPLAY_CHARS = 1024;
const CUT = `[output cut here: a cell shows at most ${LIMIT_CHARS / MIB} MiB]\n`;

/** What is left of one cell's share. */
class Meter {
  constructor() {
    this.left = LIMIT_CHARS;
    this.displays = new Set();
  }

  /** The part of `text` that is shown, with a note where it is cut; "" for all that comes later. */
  text(text) {
    if (!this._take(text.length)) return "";
    return this.left < 0 ? `${text.slice(0, this.left)}\n${CUT}` : text;
  }

  /** {display} if it is shown, {text} with the note if it is the first that is too much, else {}. */
  display(display) {
    const { mime, display_id: id } = display;
    // One that replaces an earlier one (a bar that moves) adds nothing to the page but its text.
    const more = id === undefined || !this.displays.has(id);
    if (more && id !== undefined) this.displays.add(id);
    if (!this._take(size(mime) + (more ? DISPLAY_CHARS : 0))) return {};
    return this.left < 0 ? { text: `\n${CUT}` } : { display };
  }

  /** Callbacks of nel that pass on what this lets through; the value or error of a cell always comes. */
  around({ onStdout, onStderr, onDisplay, onSuccess, onError, ...others }) {
    const print = (text, pass) => text && pass?.(text);
    return {
      ...others,
      onStdout: (text) => print(this.text(text), onStdout),
      onStderr: (text) => print(this.text(text), onStderr),
      onDisplay: (asked) => {
        const { display, text } = this.display(asked);
        if (display) onDisplay?.(display);
        print(text, onStderr);
      },
      onSuccess: (result) => onSuccess?.(shortValue(result)),
      onError: (result) => onError?.({ ...result, error: shortError(result.error) }),
    };
  }

  /** False once there was enough. */
  _take(chars) {
    if (this.left < 0) return false;
    this.left -= chars;
    return true;
  }
}

function size(mime) {
  let chars = 0;
  for (const value of Object.values(mime))
    chars += typeof value === "string" ? value.length : (JSON.stringify(value)?.length ?? 0);
  return chars;
}

function shortValue(result) {
  const chars = size(result.mime ?? {});
  if (chars <= LIMIT_CHARS) return result;
  const text = `[a value of ${Math.ceil(chars / MIB)} MiB is not shown: a cell shows at most ${LIMIT_CHARS / MIB} MiB]`;
  return { ...result, mime: { "text/plain": text } };
}

function shortError({ ename, evalue, traceback }) {
  const cut = (text) =>
    text.length <= LIMIT_CHARS ? text : `${text.slice(0, LIMIT_CHARS)}\n${CUT}`;
  return {
    ename: cut(ename),
    evalue: cut(evalue),
    traceback: cut(traceback.join("\n")).split("\n"),
  };
}

module.exports = { Meter, LIMIT_CHARS };
