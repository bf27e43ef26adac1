const size = 16384; // {{size}}

export function bytesOf(file) {
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const view = new Uint8Array(size);
          const count = await file.read(view);
          if (count > 0) return controller.enqueue(view.subarray(0, count));
        } catch (error) {
          await file.close();
          throw error;
        }
        await file.close();
        controller.close();
      },
      cancel: () => file.close(),
    },
    { highWaterMark: 0 },
  );
}
