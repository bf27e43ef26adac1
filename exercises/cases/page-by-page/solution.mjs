import { setImmediate as turn } from "node:timers/promises";

const most = 200; // {{most}}

export async function scan(page, each, { signal } = {}) {
  let count = 0;
  let after = 0;
  for (;;) {
    signal?.throwIfAborted();
    const rows = page(after, most);
    for (const row of rows) each(row);
    count += rows.length;
    if (rows.length < most) return count;
    after = rows.at(-1).id;
    await turn();
  }
}
