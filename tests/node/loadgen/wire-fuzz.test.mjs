// The same mutated responses as in the parser's fuzz test, over a real socket into the real program: one row each, with the
// status that the reference parser expects.
import assert from "node:assert/strict";
import { test } from "node:test";
import { mutatedResponses } from "./fuzz.mjs";
import { parseWhole } from "./reference-parser.mjs";
import { assertAccounted, load, OK, serve } from "./support.mjs";

const RESPONSES = 1500;

function expectedStatus(text) {
  const { outcome, status, used } = parseWhole(text, false);
  if (outcome === "malformed" || (outcome === "done" && used < text.length)) return -6;
  return outcome === "incomplete" ? -5 : status;
}

test(`${RESPONSES} mutated responses on the wire: no hang, no crash, no miscount`, async (t) => {
  // An empty response says nothing on a socket that stays open, so there is none. A good answer before each of them: the
  // generator must have recovered from the last one, and it does not pause as it does after failures in a row.
  const texts = mutatedResponses(2 * RESPONSES, 5)
    .filter((text) => text !== "")
    .slice(0, RESPONSES)
    .flatMap((text) => [OK, text]);
  const server = await serve((socket, n) => {
    const text = texts[n - 1];
    const { outcome, keepAlive } = parseWhole(text, false);
    const bytes = Buffer.from(text, "latin1");
    if (outcome === "done" && keepAlive) socket.write(bytes);
    else socket.end(bytes);
  }, t);
  const { event, rows, main } = await load(server.url, { connections: 1, requests: texts.length });
  assert.equal(event.stopped, "count");
  assertAccounted(assert, main, rows.main);
  t.diagnostic(JSON.stringify({ ok: main.counts.ok, ...main.counts.errors }));
  for (const [request, status] of rows.main.status.entries()) {
    assert.equal(status, expectedStatus(texts[request]), JSON.stringify(texts[request]));
  }
});
