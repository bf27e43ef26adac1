const MARK = "%NAME%";

export function greeter(page) {
  const at = page.indexOf(MARK);
  const before = Buffer.from(page.slice(0, at));
  const after = Buffer.from(page.slice(at + MARK.length));

  return function greet(response, name) {
    response.setHeader("content-type", "text/plain; charset=utf-8");
    const bytes = Buffer.concat([before, Buffer.from(name), after]);
    response.setHeader("content-length", bytes.length);
    response.end(bytes);
  };
}
