const MARK = "%NAME%";

export function greeter(page) {
  return function greet(response, name) {
    const text = page.replace(MARK, name);
    response.setHeader("content-type", "text/plain; charset=utf-8");
    response.setHeader("content-length", text.length);
    response.end(text);
  };
}
