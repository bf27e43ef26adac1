// Feeds the parser valid responses and mutations of them, cut at random places, and compares it with the reference parser.
// Alone: node tests/node/loadgen/fuzz.mjs --runs 1000000 --seed 1
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { ResponseParser } from "../../../lab/node/loadgen/http-response-parser.mjs";
import { MalformedResponse } from "../../../lab/node/loadgen/http-syntax.mjs";
import { uniform } from "../../../lab/node/loadgen/schedule.mjs";
import { parseWhole } from "./reference-parser.mjs";

// Pieces that matter to the grammar: a random byte rarely hits one.
const FRAGMENTS = [
  ...'\r\n:;,= \t"\\0159aF\0\x7f\xa0\xff',
  "\r\n",
  "\r\n\r\n",
  "\n\n",
  "0\r\n\r\n",
  "HTTP/1.1 200 OK\r\n",
  "HTTP/1.0",
  "100",
  "101",
  "204",
  "304",
  "Content-Length: 3\r\n",
  "Content-Length: 3, 3\r\n",
  "content-length:\t03 \r\n",
  "Content-Length: -1\r\n",
  "Content-Length: 99999999999999999999\r\n",
  "Transfer-Encoding: chunked\r\n",
  "transfer-encoding: gzip, chunked\r\n",
  "Connection: close\r\n",
  "Connection: keep-alive, x\r\n",
  "X : y\r\n",
  " folded\r\n",
  ';n="v\\"w"',
  ";a=b; c",
  "ffffffffffffffff\r\n",
];

export function fuzz(runs, seed) {
  const tools = randomTools(seed);
  const outcomes = { done: 0, "until-close": 0, incomplete: 0, malformed: 0 };
  for (let run = 0; run < runs; run++) {
    const isHead = tools.chance(0.05);
    const text = mutatedResponse(tools);
    const expected = parseWhole(text, isHead);
    const found = parseInPieces(Buffer.from(text, "latin1"), isHead, tools);
    try {
      assert.deepEqual(found, expected);
    } catch (error) {
      error.message = `run ${run} of seed ${seed}: ${JSON.stringify(text)}\n${error.message}`;
      throw error;
    }
    outcomes[expected.outcome]++;
  }
  return outcomes;
}

export function mutatedResponses(count, seed) {
  const tools = randomTools(seed);
  return Array.from({ length: count }, () => mutatedResponse(tools));
}

function mutatedResponse(tools) {
  let text = validResponse(tools);
  for (let left = tools.pick([0, 1, 1, 1, 2, 3, 8]); left > 0; left--) text = mutate(text, tools);
  return text;
}

// The parser's view in the form of the reference. Every piece is copied into one reused buffer full of other bytes, as sockets do.
function parseInPieces(bytes, isHead, { below, chance }) {
  const buffer = Buffer.alloc(bytes.length + 16, "\n");
  const body = [];
  const parser = new ResponseParser((piece, from, to) => body.push(piece.latin1Slice(from, to)));
  parser.begin(isHead);
  const pieceBytes = chance(0.2) ? bytes.length : chance(0.3) ? 1 : 1 + below(40);
  let used = 0;
  try {
    for (let at = 0; at < bytes.length && !parser.done; ) {
      const length = bytes.copy(buffer, 0, at, Math.min(bytes.length, at + 1 + below(pieceBytes)));
      const taken = parser.push(buffer, 0, length);
      assert.ok(taken === length || parser.done, "all is taken unless the response is done");
      used += taken;
      at += length;
    }
  } catch (error) {
    if (!(error instanceof MalformedResponse)) throw error;
    assert.match(error.code, /^[A-Z0-9_]+$/);
    return { outcome: "malformed" };
  }
  const outcome = parser.done ? "done" : parser.close() ? "until-close" : "incomplete";
  if (outcome === "incomplete") return { outcome };
  const { status, keepAlive, bodyBytes } = parser;
  assert.equal(bodyBytes, body.join("").length);
  return { outcome, status, body: body.join(""), used, keepAlive };
}

function validResponse({ below, chance, pick }) {
  const body = Array.from({ length: pick([0, 1, 5, 5, 60]) }, () =>
    pick("ab\r\n:0".split("")),
  ).join("");
  const lines = [
    `HTTP/1.${chance(0.9) ? 1 : 0} ${pick([200, 200, 200, 204, 304, 404, 500])} ${pick(["OK", "", "a\xe9b c"])}`,
  ];
  if (chance(0.5)) lines.push(`Date: Thu, 01 Jan 1970 00:00:0${below(10)} GMT`);
  if (chance(0.3))
    lines.push(`Connection: ${pick(["close", "keep-alive", "Keep-Alive, Upgrade", "x,close"])}`);
  if (chance(0.3)) lines.push(`X-${below(9)}:${" ".repeat(below(3))}${"v".repeat(below(9))}`);
  const framing = pick(["length", "length", "chunked", "chunked", "until-close"]);
  if (framing === "length")
    lines.push(`${pick(["Content-Length", "content-length"])}: ${body.length}`);
  if (framing === "chunked")
    lines.push(
      `${pick(["Transfer-Encoding", "TRANSFER-ENCODING"])}: ${pick(["chunked", "Chunked "])}`,
    );
  const interim = chance(0.1) ? "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" : "";
  const head = `${interim}${lines.join("\r\n")}\r\n\r\n`;
  if (framing !== "chunked") return head + body;
  let chunked = "";
  for (let at = 0; at < body.length; ) {
    const size = 1 + below(body.length - at);
    const extension = chance(0.2) ? pick([";a", "; a=b", ';a="b;c\\"" ;d']) : "";
    chunked += `${pick(["", "0"])}${size.toString(16)}${extension}\r\n${body.slice(at, at + size)}\r\n`;
    at += size;
  }
  return `${head}${chunked}0\r\n${chance(0.2) ? "X-Sum: 1\r\n" : ""}\r\n`;
}

function mutate(text, { below, pick }) {
  const at = below(text.length + 1);
  const length = 1 + below(4);
  switch (below(6)) {
    case 0:
      return text.slice(0, at) + text.slice(at + length);
    case 1:
      return text.slice(0, at) + String.fromCharCode(below(256)) + text.slice(at + 1);
    case 2:
      return text.slice(0, at);
    case 3:
      return text.slice(0, at) + text.slice(at, at + 8 * length) + text.slice(at);
    default:
      return text.slice(0, at) + pick(FRAGMENTS) + text.slice(at + pick([0, 0, 1, length]));
  }
}

function randomTools(seed) {
  const random = uniform(seed);
  const below = (limit) => Math.floor(random() * limit);
  return { below, chance: (p) => random() < p, pick: (list) => list[below(list.length)] };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      runs: { type: "string", default: "1000000" },
      seed: { type: "string", default: "1" },
    },
  });
  const started = performance.now();
  const outcomes = fuzz(Number(values.runs), Number(values.seed));
  console.log(
    `${values.runs} responses in ${((performance.now() - started) / 1000).toFixed(1)} s:`,
    outcomes,
  );
}
