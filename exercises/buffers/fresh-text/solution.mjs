export function send(response, text) {
  response.setHeader("content-type", "text/plain; charset=utf-8");
  response.setHeader("content-length", Buffer.byteLength(text));
  response.flushHeaders(); // alone: what has left cannot be joined
  response.end(text);
}
