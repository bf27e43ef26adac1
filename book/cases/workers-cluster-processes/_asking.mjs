// Clients that know which connection they use, for servers/node/units.mjs.
import { Agent, get } from "node:http";
import { address } from "../../streams/shared/asking.mjs";

/** A client whose requests go over one connection, which is kept. */
export const client = () => new Agent({ keepAlive: true, maxSockets: 1 });

const PATIENCE_MS = 5000; // an answer takes 1 s at most; a connection that nobody has taken is never closed either

/** One request: its text, or "lost" if no answer came. Without `agent`, on a connection of its own. */
export const ask = (path, agent = false) =>
  new Promise((resolve) => {
    const request = get({ ...address(), path, agent }, async (response) => {
      let text = "";
      try {
        for await (const part of response) text += part;
      } catch {
        text = "lost";
      }
      resolve(text.trim());
    });
    request.on("error", () => resolve("lost"));
    request.setTimeout(PATIENCE_MS, () => request.destroy());
  });
