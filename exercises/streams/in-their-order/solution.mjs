const key = "at"; // {{key}}

export function merged(streams) {
  const readers = streams.map((stream) => stream.getReader());
  const heads = readers.map(() => null);
  let missing = [...readers.keys()];
  const ask = async (i) => {
    const { value, done } = await readers[i].read();
    heads[i] = done ? null : value;
  };
  const first = () => {
    let smallest = -1;
    for (const [i, head] of heads.entries())
      if (head && (smallest < 0 || head[key] < heads[smallest][key])) smallest = i;
    return smallest;
  };
  const cancelAll = (reason) => Promise.all(readers.map((reader) => reader.cancel(reason)));
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          await Promise.all(missing.map(ask));
        } catch (error) {
          cancelAll(error).catch(() => {}); // the one that failed rejects again
          throw error;
        }
        const next = first();
        if (next < 0) return controller.close();
        controller.enqueue(heads[next]);
        missing = [next];
      },
      cancel: cancelAll,
    },
    { highWaterMark: 0 }, // nothing is read before it is asked for
  );
}
