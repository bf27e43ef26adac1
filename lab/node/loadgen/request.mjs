// The bytes of the request that a stream sends again and again.
import { requireObject, SpecError, show } from "./spec-values.mjs";

export const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
// The generator frames the message and decides about the connection itself.
const OWN_HEADERS = new Set(["content-length", "transfer-encoding", "connection", "upgrade"]);

// One Buffer for the whole run, from a stream of the specification; throws SpecError.
export function buildRequest(stream, where, url, method, keepAlive) {
  const encoded = stream.body_base64 ?? null;
  if (encoded !== null && !/^[A-Za-z0-9+/]*={0,2}$/.test(encoded)) {
    throw new SpecError(`${where}.body_base64 must be base64 text, not ${show(encoded)}`);
  }
  const body = Buffer.from(encoded ?? "", "base64");
  const headers = stream.headers ?? {};
  requireObject(headers, `${where}.headers`, null);
  const names = Object.keys(headers);
  const lines = [`${method} ${url.pathname}${url.search} HTTP/1.1`];
  if (!names.some((name) => name.toLowerCase() === "host")) lines.push(`Host: ${url.host}`);
  for (const name of names) {
    if (OWN_HEADERS.has(name.toLowerCase())) {
      throw new SpecError(
        `${where}.headers must not contain ${name}: the generator sets it (see keep_alive, body_base64)`,
      );
    }
    if (!TOKEN.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(headers[name])) {
      throw new SpecError(
        `${where}.headers has an invalid field ${show(name)}: ${show(headers[name])}`,
      );
    }
    lines.push(`${name}: ${headers[name]}`);
  }
  if (!keepAlive) lines.push("Connection: close");
  if (encoded !== null || ["POST", "PUT", "PATCH"].includes(method))
    lines.push(`Content-Length: ${body.length}`);
  return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), body]);
}
