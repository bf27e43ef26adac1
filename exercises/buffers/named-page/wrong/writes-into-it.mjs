const MARK = "%NAME%";
const ROOM = 1000; // bytes, more than a name has

export function greeter(page) {
  const at = page.indexOf(MARK);
  const before = Buffer.from(page.slice(0, at));
  const after = Buffer.from(page.slice(at + MARK.length));
  const bytes = Buffer.concat([before, Buffer.alloc(ROOM), after]);

  return function greet(response, name) {
    const length = bytes.write(name, before.length);
    after.copy(bytes, before.length + length);
    const answer = bytes.subarray(0, before.length + length + after.length);
    response.setHeader("content-type", "text/plain; charset=utf-8");
    response.setHeader("content-length", answer.length);
    response.end(answer);
  };
}
