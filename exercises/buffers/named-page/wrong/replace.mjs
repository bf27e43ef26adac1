const MARK = "%NAME%";

export function greeter(page) {
  return function greet(response, name) {
    response.setHeader("content-type", "text/plain; charset=utf-8");
    const bytes = Buffer.from(page.replace(MARK, name));
    response.setHeader("content-length", bytes.length);
    response.end(bytes);
  };
}
