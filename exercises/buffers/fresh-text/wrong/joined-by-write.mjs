export function send(response, text) {
  response.setHeader("content-type", "text/plain; charset=utf-8");
  response.setHeader("content-length", Buffer.byteLength(text));
  response.write(text);
  response.end();
}
