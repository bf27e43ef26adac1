// Reads what a process writes to an inherited stream, and finds the marks that end a cell.
"use strict";

const { EventEmitter } = require("node:events");

const TAIL_CHARS = 4000;
const MARK = /\0end (\d+)\0/;

/** Emits "text" for everything but marks; `tail` is the last of it. */
class Tap extends EventEmitter {
  constructor(stream, name) {
    super();
    this.name = name;
    this.tail = "";
    this.rest = "";
    this.seen = new Set();
    this.waiting = new Map();
    stream.setEncoding("utf8");
    stream.on("data", (chunk) => this._take(chunk));
  }

  /** Resolves once the mark of cell `id` has come, and with it all that was written before. */
  ended(id) {
    if (this.seen.delete(id)) return Promise.resolve();
    return new Promise((resolve) => this.waiting.set(id, resolve));
  }

  _take(chunk) {
    let text = this.rest + chunk;
    let mark = MARK.exec(text);
    while (mark) {
      this._text(text.slice(0, mark.index));
      this._end(Number(mark[1]));
      text = text.slice(mark.index + mark[0].length);
      mark = MARK.exec(text);
    }
    // Half a mark waits for its other half; a lone NUL of someone's data goes on with what follows it.
    const open = /\0(e(n(d( \d*)?)?)?)?$/.exec(text);
    this.rest = open ? open[0] : "";
    this._text(text.slice(0, text.length - this.rest.length));
  }

  _text(text) {
    if (!text) return;
    this.tail = (this.tail + text).slice(-TAIL_CHARS);
    this.emit("text", text);
  }

  _end(id) {
    this.tail = "";
    this.waiting.get(id)?.();
    if (!this.waiting.delete(id)) this.seen.add(id);
  }
}

module.exports = { Tap };
