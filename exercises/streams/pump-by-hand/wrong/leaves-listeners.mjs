export function pump(from, to) {
  return new Promise((resolve, reject) => {
    let bytes = 0;
    const fail = (error) => {
      from.destroy();
      to.destroy();
      reject(error);
    };

    from.on("data", (chunk) => {
      bytes += chunk.length;
      if (!to.write(chunk)) from.pause();
    });
    to.on("drain", () => from.resume());
    from.on("end", () => to.end());
    to.on("finish", () => resolve(bytes));
    from.on("error", fail);
    to.on("error", fail);
  });
}
