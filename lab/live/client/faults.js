/** What the server does not do, in words for the reader; `kind` says which of the faults it is. */
export class Fault extends Error {
  constructor(kind, message) {
    super(message);
    this.kind = kind;
  }
}

// On a hub nobody has started `make live`.
const hub = document.getElementById("lab-live")?.dataset.hub !== undefined;
const WORDS = {
  gone:
    "The server does not respond. " +
    `${hub ? "Load this page again and let the hub start it" : "Start `make live` again, then load this page again"}. ` +
    "Your results are kept here.",
  signedOut:
    "The server no longer recognises you. " +
    `${hub ? "Load this page again and sign in: your results are kept here." : "Open the address that `make live` printed when it started."}`,
  died: "The kernel has ended, and its variables are lost. Run the cells again from the top.",
};

/** Which tab has the page: what the server says of it (`tab`, `browser`, `since` in seconds). */
export function otherTab({ browser, since }) {
  const at = new Date(since * 1000).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  return `${browser ? `${browser}, ` : ""}since ${at}`;
}

export const fault = (kind) => new Fault(kind, WORDS[kind]);
