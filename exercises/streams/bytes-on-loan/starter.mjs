const size = 16384; // {{size}}

export function bytesOf(file) {
  return new ReadableStream({
    async pull(controller) {
      const view = new Uint8Array(size);
      const count = await file.read(view);
      controller.enqueue(view.subarray(0, count));
    },
  });
}
