// Is the picture there? Its headers say so, and the rest is given up.
import { createServer } from "node:http";

const picture = Buffer.alloc(400_000, 7);
const store = createServer((_request, response) => response.end(picture));
await new Promise((done) => store.listen(0, "127.0.0.1", done));
const { port } = store.address();

createServer(async (_request, response) => {
  const { ok, headers, body } = await fetch(`http://127.0.0.1:${port}/picture.jpg`);
  await body?.cancel();
  response.end(`${ok} ${headers.get("content-length")}`);
}).listen(process.env.PORT ?? 18171, "127.0.0.1");
