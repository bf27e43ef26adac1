// A second opinion for the fuzzer: the same rules as the parser, written over one whole string, with no state between chunks.
// It is slow and short on purpose; the two share no code.

const FIELD = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*$/;
const NAME = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+";
const QUOTED = '"([\\t !#-\\[\\]-~\\x80-\\xff]|\\\\[\\t -~\\x80-\\xff])*"';
const CHUNK = new RegExp(
  `^([0-9A-Fa-f]{1,16})([\\t ]*;[\\t ]*${NAME}([\\t ]*=[\\t ]*(${NAME}|${QUOTED}))?)*$`,
);

// text: latin1. Answers { outcome: "malformed" } | { outcome: "incomplete" } | { outcome: "until-close" | "done", status, body,
// used, keepAlive }.
export function parseWhole(text, isHead) {
  for (let at = 0; ; ) {
    const head = lines(text, at, false);
    if (!"HTTP/1.".startsWith(text.slice(at, at + 7))) return MALFORMED;
    const start = head.found[0];
    const match = start?.match(/^HTTP\/1\.([01]) ([1-5]\d\d) [\t\x20-\x7e\x80-\xff]*$/);
    if (start !== undefined && !match) return MALFORMED;
    const fields = head.found.slice(1);
    if (fields.some((line) => !FIELD.test(line))) return MALFORMED;
    const values = (name) =>
      fields
        .filter((line) => line.slice(0, line.indexOf(":")).toLowerCase() === name)
        .flatMap((line) => line.slice(line.indexOf(":") + 1).split(","))
        .map((value) => value.replace(/^[\t ]+|[\t ]+$/g, "").toLowerCase());
    const lengths = values("content-length");
    if (
      lengths.some(
        (length) => !/^\d{1,16}$/.test(length) || Number(length) > Number.MAX_SAFE_INTEGER,
      )
    ) {
      return MALFORMED;
    }
    if (new Set(lengths.map(Number)).size > 1) return MALFORMED;
    const codings = values("transfer-encoding");
    if (codings.length > 1 || (codings.length === 1 && codings[0] !== "chunked")) return MALFORMED;
    if (head.bad) return MALFORMED;
    if (!head.complete) return INCOMPLETE;

    const status = Number(match[2]);
    if (status === 101) return MALFORMED;
    at = head.end;
    if (status < 200) continue;
    const options = values("connection");
    const persistent =
      !options.includes("close") && (match[1] === "1" || options.includes("keep-alive"));
    const done = (body, used, keepAlive = persistent) => ({
      outcome: "done",
      status,
      body,
      used,
      keepAlive,
    });
    if (isHead || status === 204 || status === 304) return done("", at);
    if (codings.length > 0) {
      if (lengths.length > 0 || match[1] === "0") return MALFORMED;
      const chunked = chunks(text, at);
      return typeof chunked === "string" ? { outcome: chunked } : done(chunked.body, chunked.end);
    }
    if (lengths.length === 0)
      return { ...done(text.slice(at), text.length, false), outcome: "until-close" };
    const end = at + Number(lengths[0]);
    return end > text.length ? INCOMPLETE : done(text.slice(at, end), end);
  }
}

const MALFORMED = { outcome: "malformed" };
const INCOMPLETE = { outcome: "incomplete" };

// The lines up to the empty one. bad: a line does not end in CRLF.
function lines(text, from, mayBeEmpty) {
  const found = [];
  for (let at = from; ; ) {
    const feed = text.indexOf("\n", at);
    if (feed < 0) return { found, complete: false };
    if (feed === at || text[feed - 1] !== "\r") return { found, bad: true };
    const line = text.slice(at, feed - 1);
    at = feed + 1;
    // Where there must be a first line, an empty one is one of the lines, and a wrong one.
    if (line === "" && (mayBeEmpty || found.length > 0)) return { found, complete: true, end: at };
    found.push(line);
  }
}

function chunks(text, from) {
  let body = "";
  for (let at = from; ; ) {
    const feed = text.indexOf("\n", at);
    if (feed < 0) return "incomplete";
    if (feed === at || text[feed - 1] !== "\r") return "malformed";
    const size = CHUNK.exec(text.slice(at, feed - 1));
    if (size === null || Number.parseInt(size[1], 16) > Number.MAX_SAFE_INTEGER) return "malformed";
    const length = Number.parseInt(size[1], 16);
    at = feed + 1;
    if (length === 0) {
      const trailers = lines(text, at, true);
      if (trailers.bad || trailers.found.some((line) => !FIELD.test(line))) return "malformed";
      return trailers.complete ? { body, end: trailers.end } : "incomplete";
    }
    body += text.slice(at, at + length);
    at += length;
    const end = text.slice(at, at + 2);
    if (!"\r\n".startsWith(end)) return "malformed";
    if (end.length < 2) return "incomplete";
    at += 2;
  }
}
