const key = "at"; // {{key}}

async function everything(stream) {
  const reader = stream.getReader();
  const chunks = [];
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return chunks;
    chunks.push(value);
  }
}

export function merged(streams) {
  let all;
  return new ReadableStream(
    {
      async pull(controller) {
        all ??= (await Promise.all(streams.map(everything))).flat().sort((a, b) => a[key] - b[key]);
        if (all.length === 0) return controller.close();
        controller.enqueue(all.shift());
      },
    },
    { highWaterMark: 0 },
  );
}
