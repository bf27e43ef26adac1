export async function copy(source, writable) {
  const writer = writable.getWriter();
  writer.closed.catch(() => {}); // what fails is told by ready, close or the source
  let count = 0;
  try {
    await writer.ready;
    const chunks = source[Symbol.asyncIterator]();
    for (;;) {
      const { value: chunk, done } = await chunks.next();
      if (done) break;
      writer.write(chunk).catch(() => {}); // a sink that fails is told by the next ready
      count += 1;
      await writer.ready; // before the next chunk is taken
    }
    await writer.close();
  } catch (error) {
    await writer.abort(error).catch(() => {}); // nothing to abort if it was the sink that failed
    throw error;
  }
  return count;
}
