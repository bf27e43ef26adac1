// Clients of servers/node/pages.mjs that may leave before they have their answer, and what the server collected meanwhile.
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** One request; its client is gone after `leavesMs`, if that is given. The status of the answer, or "" if there is none. */
export const visit = (where, { headers = "", leavesMs = 0 } = {}) =>
  new Promise((resolve) => {
    const socket = connect(where);
    socket.write(`GET / HTTP/1.1\r\nhost: me\r\nconnection: close\r\n${headers}\r\n`);
    let text = "";
    socket.setEncoding("latin1").on("data", (part) => {
      text += part;
    });
    if (leavesMs) setTimeout(() => socket.destroy(), leavesMs);
    socket.on("error", () => {});
    socket.on("close", () => resolve(text.slice(9, 12)));
  });

/** How many pages the server has collected, asked when there are no more to come. */
export const collected = async ({ host, port }) => {
  const count = async () => Number(await (await fetch(`http://${host}:${port}/collected`)).text());
  let before = -1;
  for (let now = await count(); now !== before; now = await count()) {
    before = now;
    await sleep(250); // far longer than a page takes
  }
  return before;
};
