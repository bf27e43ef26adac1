// Is the picture there? Its headers say so, and nobody reads it.
import { createServer } from "node:http";

const picture = Buffer.alloc(400_000, 7);
const store = createServer((_request, response) => response.end(picture));
await new Promise((done) => store.listen(0, "127.0.0.1", done));
const { port } = store.address();

createServer(async (_request, response) => {
  const { ok, headers } = await fetch(`http://127.0.0.1:${port}/picture.jpg`);
  response.end(`${ok} ${headers.get("content-length")}`);
}).listen(process.env.PORT ?? 18170, "127.0.0.1");
