export async function copy(source, writable) {
  const writer = writable.getWriter();
  let count = 0;
  for await (const chunk of source) {
    writer.write(chunk);
    count += 1;
  }
  return count;
}
