// The ways that this page weighs: so many times the same chunk from a source, to its end, in Node's streams and in those of the web.
// Source, transform and sink do nothing, so that what remains is the price of the streams.
import { Readable, Transform, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";

const nothing = () => {};
export const nodeSource = (count, chunk, makes = nothing) => {
  let made = 0;
  return new Readable({
    read() {
      makes();
      this.push(made++ < count ? chunk : null);
    },
  });
};
export const webSource = (count, chunk, makes = nothing) => {
  let made = 0;
  return new ReadableStream({
    pull(controller) {
      makes();
      if (made++ < count) controller.enqueue(chunk);
      else controller.close();
    },
  });
};
export const nodeSink = (take = nothing) =>
  new Writable({
    write(chunk, _encoding, done) {
      take(chunk);
      done();
    },
  });
export const webSink = (take = nothing) =>
  new WritableStream({
    write(chunk) {
      take(chunk);
    },
  });
const same = () => new Transform({ transform: (chunk, _encoding, done) => done(null, chunk) });

/** A source of bytes that writes into the memory of its reader. */
const byteSource = (count) => {
  let made = 0;
  return new ReadableStream({
    type: "bytes",
    pull(controller) {
      const { byobRequest } = controller;
      if (made++ < count) return byobRequest.respond(byobRequest.view.byteLength);
      controller.close();
      byobRequest.respond(0);
    },
  });
};

const loop = async (stream) => {
  for await (const _ of stream);
};
const read = async (stream) => {
  const reader = stream.getReader();
  while (!(await reader.read()).done);
};
const lend = async (stream, length) => {
  const reader = stream.getReader({ mode: "byob" });
  let view = new Uint8Array(length);
  for (;;) {
    const { value, done } = await reader.read(view);
    if (done) break;
    view = new Uint8Array(value.buffer);
  }
};
const events = (stream) =>
  new Promise((resolve, reject) =>
    stream.on("data", nothing).on("end", resolve).on("error", reject),
  );

export const ways = {
  "Readable, 'data'": (n, chunk) => events(nodeSource(n, chunk)),
  "Readable, for await": (n, chunk) => loop(nodeSource(n, chunk)),
  "pipeline to a Writable": (n, chunk, take) => pipeline(nodeSource(n, chunk), nodeSink(take)),
  "pipeline through a Transform": (n, chunk, take) =>
    pipeline(nodeSource(n, chunk), same(), nodeSink(take)),
  "ReadableStream, read()": (n, chunk) => read(webSource(n, chunk)),
  "ReadableStream, for await": (n, chunk) => loop(webSource(n, chunk)),
  "pipeTo a WritableStream": (n, chunk, take) => webSource(n, chunk).pipeTo(webSink(take)),
  "pipeThrough a TransformStream": (n, chunk, take) =>
    webSource(n, chunk).pipeThrough(new TransformStream()).pipeTo(webSink(take)),
  "bytes, read(view)": (n, chunk) => lend(byteSource(n), chunk.length),
  "Readable.toWeb(), read()": (n, chunk) => read(Readable.toWeb(nodeSource(n, chunk))),
  "Readable.fromWeb(), for await": (n, chunk) => loop(Readable.fromWeb(webSource(n, chunk))),
}; // end of the ways
