// Counts writes into streams that have said no: `write()` had returned false, and no `drain` came since. Of standard output
// and error, whose writes are synchronous where these are files, it counts how long they took.
"use strict";
const { performance } = require("node:perf_hooks");
const { Duplex, Readable, Writable } = require("node:stream");
const { OutgoingMessage } = require("node:http");

const WORTH_A_PLACE = 262_144; // bytes behind the mark

module.exports = function watchStreams(sites, calls, sockets) {
  const counts = {
    writes: 0,
    ignored: 0,
    refused: 0,
    most_bytes: 0,
    most_objects: 0,
    marks: 0,
    kind: null,
    stdio_ms: 0,
  };
  const undo = [];
  const refusals = new WeakSet(); // streams that have said no, each counted once

  function saidNo(stream) {
    if (refusals.has(stream)) return;
    refusals.add(stream);
    counts.refused += 1;
  }

  function note(kind, length, mark, objects) {
    const marks = mark > 0 ? length / mark : 0;
    if (objects) counts.most_objects = Math.max(counts.most_objects, length);
    else if (length > counts.most_bytes) {
      counts.most_bytes = length;
      counts.kind = kind;
    }
    counts.marks = Math.max(counts.marks, marks);
    if (objects ? length > 500 : length > WORTH_A_PLACE) sites.note("write");
  }

  function patch(prototype, name, make) {
    const original = prototype[name];
    const made = make(original);
    prototype[name] = made;
    undo.push(() => {
      if (prototype[name] === made) prototype[name] = original;
    });
  }

  patch(
    OutgoingMessage.prototype,
    "write",
    (original) =>
      function write(...args) {
        const full = this.writableNeedDrain;
        const answer = original.apply(this, args);
        counts.writes += 1;
        if (answer === false) saidNo(this);
        if (full) {
          counts.ignored += 1;
          note("response", this.writableLength, this.writableHighWaterMark, false);
        }
        return answer;
      },
  );
  const plain = (original) =>
    function write(...args) {
      // An HTTP message writes on its own socket as it must.
      if (this._httpMessage || this.parser) return original.apply(this, args);
      if (this._isStdio) {
        const since = performance.now();
        const answer = original.apply(this, args);
        counts.stdio_ms += performance.now() - since;
        return answer;
      }
      const full = this.writableNeedDrain;
      if (sockets.has(this)) calls.wrote(this);
      const answer = original.apply(this, args);
      counts.writes += 1;
      if (answer === false) saidNo(this);
      if (full) {
        counts.ignored += 1;
        const kind = this.constructor?.name ?? "stream";
        note(kind, this.writableLength, this.writableHighWaterMark, this.writableObjectMode);
      }
      return answer;
    };
  patch(Writable.prototype, "write", plain);
  if (Duplex.prototype.write !== Writable.prototype.write) patch(Duplex.prototype, "write", plain);
  patch(
    Readable.prototype,
    "push",
    (original) =>
      function push(...args) {
        if (sockets.has(this)) calls.came(this);
        const mark = this.readableHighWaterMark;
        const full = this.readableLength >= mark && mark > 0 && args[0] !== null;
        const answer = original.apply(this, args);
        if (full && !this.parser) {
          saidNo(this);
          counts.ignored += 1;
          note(
            this.constructor?.name ?? "stream",
            this.readableLength,
            mark,
            this.readableObjectMode,
          );
        }
        return answer;
      },
  );
  const controller = globalThis.ReadableStreamDefaultController?.prototype;
  if (controller) {
    patch(
      controller,
      "enqueue",
      (original) =>
        function enqueue(chunk) {
          const full = this.desiredSize <= 0;
          const answer = original.call(this, chunk);
          if (full) {
            saidNo(this);
            counts.ignored += 1;
            // A Web Stream counts chunks unless told otherwise.
            note(
              "ReadableStream",
              -this.desiredSize * (chunk?.byteLength ?? 1),
              1,
              !chunk?.byteLength,
            );
          }
          return answer;
        },
    );
  }
  // pipeTo() and pipeThrough() do not come by here: they wait.
  const writer = globalThis.WritableStreamDefaultWriter?.prototype;
  if (writer) {
    patch(
      writer,
      "write",
      (original) =>
        function write(...args) {
          const [chunk] = args;
          let room = null; // the stream has failed, or is another writer's: write() says so itself
          try {
            room = this.desiredSize;
          } catch {
            // Released: it is not ours to throw.
          }
          const answer = original.apply(this, args);
          counts.writes += 1;
          if (room !== null && room <= 0) {
            saidNo(this);
            counts.ignored += 1;
            note("WritableStream", -room * (chunk?.byteLength ?? 1), 1, !chunk?.byteLength);
          }
          return answer;
        },
    );
  }

  return function rest() {
    for (const one of undo) one();
    return counts;
  };
};
