import { createServer } from "node:http";
import { text } from "node:stream/consumers";

const { UPSTREAM, PORT = "0" } = process.env;

class BadRequest extends Error {}

function namesIn(body) {
  try {
    const names = JSON.parse(body);
    if (Array.isArray(names) && names.every((name) => typeof name === "string")) return names;
  } catch {
    // told below
  }
  throw new BadRequest("a JSON list of names, please");
}

async function valueFor(name) {
  const answer = await fetch(`${UPSTREAM}/${name}`);
  const { value } = await answer.json();
  if (typeof value !== "number") throw new Error(`the upstream has no number for ${name}`);
  return value;
}

async function total(request, response) {
  const names = namesIn(await text(request));
  let sum = 0;
  for (const name of names) {
    const value = await valueFor(name);
    response.write(`${name} ${value}\n`);
    sum += value;
  }
  response.end(`total ${sum}\n`);
}

/** The one place at which every request that fails arrives. */
function failed(error, response) {
  console.error(error.message);
  if (response.headersSent) return response.destroy();
  response.writeHead(error instanceof BadRequest ? 400 : 502).end(`${error.message}\n`);
}

const server = createServer((request, response) => {
  try {
    total(request, response);
  } catch (error) {
    failed(error, response);
  }
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
