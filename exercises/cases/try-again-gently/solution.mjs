const tries = 4; // {{tries}}
const base = 100; // {{base}}
const longest = 300; // {{longest}}

const idempotent = new Set(["GET", "HEAD", "PUT", "DELETE", "OPTIONS"]);

function mayHelp(request, { status, error }) {
  if (error === "ECONNREFUSED") return true; // nothing was sent
  if (!idempotent.has(request.method)) return false;
  return error === "ECONNRESET" || status === 503;
}

export async function call(request, send, pause) {
  let pauses = 0;
  let isStale = false; // whether a kept connection was tried in vain
  for (let left = tries - 1; ; left--) {
    const outcome = await send(request);
    if (left === 0 || !mayHelp(request, outcome)) return outcome;
    const isFirst = outcome.error === "ECONNRESET" && !isStale;
    if (outcome.error === "ECONNRESET") isStale = true;
    if (isFirst && outcome.reused) continue;
    await pause(Math.random() * Math.min(longest, base * 2 ** pauses));
    pauses += 1;
  }
}
