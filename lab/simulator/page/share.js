// A program in the fragment of an address, which browsers send to nobody: #z= and the text, deflated, in base64.
// A link comes from anybody: what it holds is text of bounded length, and runs when its reader presses Run.

const MOST_LETTERS = 100_000;
const NAME = /^[\w-][\w.-]{0,59}\.[cm]?js$/;

/** "#z=…&file=…&node=…" for a program. */
export async function linkTo({ text, name, node }) {
  const bytes = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
  const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  const base64 = btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  return `#z=${base64}&file=${encodeURIComponent(name)}&node=${node}`;
}

/** {source, name, node} of a fragment; null for one that holds no program. Throws a RangeError where it cannot be read. */
export async function programIn(hash) {
  const fields = new URLSearchParams(hash.slice(1));
  const base64 = fields.get("z");
  if (base64 === null) return null;
  const file = fields.get("file") ?? "";
  const name = NAME.test(file) ? file : "program.mjs";
  try {
    const letters = atob(base64.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    const text = await through(bytes, new DecompressionStream("deflate-raw"), MOST_LETTERS * 4);
    const source = new TextDecoder("utf-8", { fatal: true }).decode(text);
    if (source.length > MOST_LETTERS) throw new RangeError("too long");
    return { source, name, node: Number(fields.get("node")) };
  } catch {
    throw new RangeError(
      "This link does not contain a readable program, because it was truncated or changed.",
    );
  }
}

async function through(bytes, stream, most = Number.POSITIVE_INFINITY) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const chunks = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > most) {
      await reader.cancel();
      throw new RangeError("too long");
    }
    chunks.push(value);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
