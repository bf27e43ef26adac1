export async function copy(source, writable) {
  const writer = writable.getWriter();
  writer.closed.catch(() => {}); // what fails is told by ready, close or the source
  let count = 0;
  try {
    await writer.ready;
    for await (const chunk of source) {
      writer.write(chunk).catch(() => {}); // a sink that fails is told by the next ready
      count += 1;
      await writer.ready; // before the next chunk is taken
    }
  } catch (error) {
    await writer.abort(error).catch(() => {}); // nothing to abort if it was the sink that failed
    throw error;
  }
  return count;
}
