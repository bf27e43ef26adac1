// Session keys by web crypto: deriveBits awaits, but every call takes a thread for long.
import { createServer } from "node:http";

const { subtle } = globalThis.crypto;
const secret = await subtle.importKey("raw", new TextEncoder().encode("s3cret"), "PBKDF2", false, [
  "deriveBits",
]);

async function session(id: number): Promise<string> {
  const salt = new TextEncoder().encode(`session ${id}`);
  const how = { name: "PBKDF2", hash: "SHA-512", salt, iterations: 30_000 };
  return Buffer.from(await subtle.deriveBits(how, secret, 256)).toString("base64url");
}

let visits = 0;
createServer(async (_request, response) => {
  visits += 1;
  const both = await Promise.all([session(visits), session(-visits)]);
  response.writeHead(200, { "set-cookie": `s=${both[0]}; HttpOnly` });
  response.end(both[1]);
}).listen(18115, "127.0.0.1");
