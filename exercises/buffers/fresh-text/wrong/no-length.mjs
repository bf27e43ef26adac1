export function send(response, text) {
  response.setHeader("content-type", "text/plain; charset=utf-8");
  response.flushHeaders(); // alone: what has left cannot be joined
  response.end(text);
}
