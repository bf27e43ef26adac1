const key = "at"; // {{key}}

export function merged(streams) {
  return new ReadableStream({
    async start(controller) {
      for (const stream of streams) {
        for await (const chunk of stream) controller.enqueue(chunk);
      }
      controller.close();
    },
  });
}
