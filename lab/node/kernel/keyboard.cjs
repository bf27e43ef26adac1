// The standard input of cells: there is none, and whoever reads from it is told so instead of waiting for ever.
"use strict";

const { Readable } = require("node:stream");
const { plainError } = require("./errors.cjs");

const ADVICE =
  "A cell has no keyboard, so nothing can be read from process.stdin. Put what you would type into a variable, " +
  'or ask the person at the notebook: const name = await $$.input({ prompt: "Your name? " })';
const NOBODY =
  "No person can be asked, because this notebook runs without one. Put the answer into a variable";

function input() {
  return Object.assign(
    new Readable({
      read() {
        // One that only keeps its process alive (`process.stdin.resume()`) finds the end.
        const isRead = this.listenerCount("data") + this.listenerCount("readable") > 0;
        if (isRead) this.destroy(plainError("NoKeyboard", ADVICE));
        else this.push(null);
      },
    }),
    { fd: 0 },
  );
}

/** Replaces process.stdin; each reader has one that nobody has read from. */
function install() {
  let stdin = input();
  Object.defineProperty(process, "stdin", {
    get() {
      if (stdin.destroyed || stdin.readableEnded) stdin = input();
      return stdin;
    },
    enumerable: true,
    configurable: true,
  });
}

/** The error of `$$.input()` where the client cannot ask. */
const nobody = () => plainError("NoKeyboard", NOBODY);

module.exports = { install, nobody };
