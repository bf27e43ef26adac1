export function send(response, text) {
  response.setHeader("content-type", "text/plain; charset=utf-8");
  response.setHeader("content-length", text.length);
  response.end(Buffer.from(text, "latin1"));
}
