const tries = 4; // {{tries}}
const base = 100; // {{base}}
const longest = 300; // {{longest}}

export async function call(request, send, pause) {
  let outcome = await send(request);
  for (let n = 1; n < tries && (outcome.error || outcome.status >= 500); n++) {
    await pause(Math.min(base, longest));
    outcome = await send(request);
  }
  return outcome;
}
