export function pump(from, to) {
  return new Promise((resolve) => {
    let bytes = 0;
    from.on("data", (chunk) => {
      bytes += chunk.length;
      to.write(chunk);
    });
    from.on("end", () => {
      to.end();
      resolve(bytes);
    });
  });
}
