// Handlers of `fetch`, as in Hono: they take a Request and return a Response, with streams of the web.
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

function asked(incoming) {
  const controller = new AbortController();
  incoming.once("close", () => {
    if (!incoming.complete) controller.abort();
  });
  const hasBody = !["GET", "HEAD"].includes(incoming.method);
  return new Request(new URL(incoming.url, "http://drop"), {
    method: incoming.method,
    headers: Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
    signal: controller.signal,
    ...(hasBody && { body: Readable.toWeb(incoming), duplex: "half" }),
  });
}

async function send(response, outgoing, isHead) {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body && !isHead) await pipeline(Readable.fromWeb(response.body), outgoing);
  else outgoing.end();
}

export function framework() {
  const routes = [];
  return {
    on(method, pattern, handler) {
      routes.push({ method, pattern: new RegExp(`^${pattern}$`), handler });
      return this;
    },
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const here = routes.filter(({ pattern }) => pattern.test(pathname));
      if (here.length === 0) return new Response("nothing here", { status: 404 });
      const method = request.method === "HEAD" ? "GET" : request.method;
      const route = here.find((each) => each.method === method);
      const names = here.flatMap((each) => (each.method === "GET" ? ["GET", "HEAD"] : each.method));
      if (!route) return new Response(null, { status: 405, headers: { allow: names.join(", ") } });
      return route.handler(request, route.pattern.exec(pathname).slice(1));
    },
    server() {
      return createServer(async (incoming, outgoing) => {
        try {
          await send(await this.fetch(asked(incoming)), outgoing, incoming.method === "HEAD");
        } catch {
          if (outgoing.headersSent) outgoing.destroy();
          else outgoing.writeHead(500).end();
        }
        incoming.resume();
      });
    },
  };
}
