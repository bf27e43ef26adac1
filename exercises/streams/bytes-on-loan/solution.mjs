const size = 16384; // {{size}}

export function bytesOf(file) {
  return new ReadableStream({
    type: "bytes",
    autoAllocateChunkSize: size, // memory for a reader that brings none
    async pull(controller) {
      const request = controller.byobRequest;
      try {
        const count = await file.read(request.view);
        if (count === 0) {
          await file.close();
          controller.close();
        }
        request.respond(count);
      } catch (error) {
        await file.close();
        throw error;
      }
    },
    cancel: () => file.close(),
  });
}
