"use strict";
// Calls `seen(fd, text)` for whatever the program writes to standard output and standard error, and stops the
// writing itself after `maxBytes`: a program that prints for ever must not fill the disk.

const fs = require("node:fs");

const TEXT_KEPT = 300;

module.exports = function watchOutput(maxBytes, onOutput) {
  let bytes = 0;
  let inside = false;

  // Returns false when the real write should be left out.
  function note(fd, chunk) {
    const text = typeof chunk === "string" ? chunk : Buffer.from(chunk).toString();
    bytes += text.length;
    if (bytes > maxBytes) return false;
    onOutput(fd, text.length > TEXT_KEPT ? `${text.slice(0, TEXT_KEPT)}…\n` : text);
    return true;
  }

  for (const stream of [process.stdout, process.stderr]) {
    const { write } = stream;
    stream.write = (chunk, ...options) => {
      const done = options.find((argument) => typeof argument === "function");
      const valid = typeof chunk === "string" || ArrayBuffer.isView(chunk);
      if (valid && !inside && !note(stream.fd, chunk)) {
        if (typeof done === "function") process.nextTick(done);
        return true;
      }
      const outer = inside;
      inside = true; // a file's stream writes through fs.writeSync: count once
      try {
        return write.call(stream, chunk, ...options);
      } finally {
        inside = outer;
      }
    };
  }

  const { writeSync } = fs;
  fs.writeSync = (fd, chunk, ...options) => {
    if (
      (fd === 1 || fd === 2) &&
      !inside &&
      (typeof chunk === "string" || ArrayBuffer.isView(chunk))
    )
      if (!note(fd, chunk)) return chunk.length;
    return writeSync(fd, chunk, ...options);
  };
  require("node:module").syncBuiltinESMExports();
};
