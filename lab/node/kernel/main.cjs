// What the kernelspec starts: ijavascript, with the course's session instead of nel's own.
// Usage: node main.cjs CONNECTION_FILE
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const { Session } = require("./session.cjs"); // first: ijavascript picks it up from nel
const { completion, inspection } = require("./tab.cjs");
const { completeness } = require("./transpile.cjs");
const handlers = require("jp-kernel/lib/handlers_v5.js");

const REPLY_MS = 50;
const PARENT_MS = 1000;

// What cells start with `require("lab")` runs on the Node that they run on.
process.env.LAB_NODE ||= process.execPath;

const ijavascript = path.join(
  path.dirname(require.resolve("ijavascript/package.json")),
  "lib/kernel.js",
);
process.argv = [
  process.argv[0],
  ijavascript,
  "--hide-undefined",
  "--protocol=5.1",
  process.argv[2],
];

const { execute_request } = handlers;
handlers.execute_request = function (request) {
  // Clients that execute notebooks cannot answer questions; people can.
  Session.current.interactive = request.content.allow_stdin !== false;
  withMetadata(request);
  return execute_request.call(this, request);
};

/** jp-kernel shows everything without metadata: a bundle of `$$.mime` may bring its own, as $metadata. */
function withMetadata(request) {
  const { respond } = request;
  request.respond = function (socket, type, content, ...rest) {
    if (type !== "display_data" || !content.data?.$metadata)
      return respond.call(this, socket, type, content, ...rest);
    const { $metadata: metadata, ...data } = content.data;
    return respond.call(this, socket, type, { ...content, data, metadata }, ...rest);
  };
}

// The protocol has the client start a new process also for a restart: this one always ends.
handlers.shutdown_request = function (request) {
  request.respond(this.iopubSocket, "status", { execution_state: "busy" });
  const unseen = Session.current.unseen();
  if (unseen) process.stderr.write(unseen);
  this.session.kill("SIGKILL", () => {
    request.respond(this.controlSocket, "shutdown_reply", request.content);
    request.respond(this.iopubSocket, "status", { execution_state: "idle" });
    setTimeout(() => process.exit(0), REPLY_MS);
  });
};

require(ijavascript);

const look = (question) => Session.current.look(question);
answer("is_complete", ({ code }) => ({ status: completeness(code), indent: "" }));
answer("complete", (content) => completion(content, look));
answer("inspect", (content) => inspection(content, look));
answer("comm_info", () => ({ status: "ok", comms: {} }));

/** Answers a kind of request on the shell channel with what `reply` makes of its content. */
function answer(kind, reply) {
  handlers[`${kind}_request`] = async function (request) {
    request.respond(this.iopubSocket, "status", { execution_state: "busy" });
    const content = await reply(request.content);
    request.respond(this.shellSocket, `${kind}_reply`, content, {}, this.protocolVersion);
    request.respond(this.iopubSocket, "status", { execution_state: "idle" });
  };
}

noteOurFiles();

process.removeAllListeners("SIGINT");
process.on("SIGINT", () => Session.current.interrupt());
process.on("exit", () => Session.current._server.kill("SIGKILL"));

// Node parses a channel where no handler of ours can catch what is not JSON.
process.on("uncaughtException", (error) => {
  if (error instanceof SyntaxError && /\bparseChannelMessages\b/.test(error.stack))
    return Session.current.spoiled();
  process.stderr.write(`${error?.stack ?? error}\n`);
  process.exit(1);
});

// As ipykernel does: a kernel whose client died without a word (SIGKILL) ends too.
const parent = process.ppid;
if (process.env.JPY_PARENT_PID)
  setInterval(() => process.ppid !== parent && process.exit(1), PARENT_MS).unref();

/** The build executes a chapter again when something it used has changed; this kernel is part of it. */
function noteOurFiles() {
  const file = process.env.LAB_USAGE_FILE;
  if (!file) return;
  const names = fs.readdirSync(__dirname).filter((name) => name.endsWith(".cjs"));
  const files = [...names.map((name) => `kernel/${name}`), "api/primordials.js"];
  const notes = files.map((name) => ({ kind: "file", path: `lab/node/${name}` }));
  notes.push({ kind: "runtime", name: "node", version: process.version });
  fs.appendFileSync(file, notes.map((note) => `${JSON.stringify(note)}\n`).join(""));
}
