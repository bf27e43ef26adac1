// Played in the process of the hand-in: several texts, each with a decoder of its own, chunk by chunk in turns.
exports.decode = async function decode(student, { texts, reuse }) {
  const all = texts.map((chunks) => ({ chunks, decoder: student.decoder(), came: [] }));
  const most = Math.max(...texts.map((chunks) => chunks.length));
  for (let at = 0; at < most; at++)
    for (const { chunks, decoder, came } of all) {
      if (at >= chunks.length) continue;
      came.push(decoder.write(chunks[at]));
      if (reuse) chunks[at].fill("*");
    }
  return all.map(({ came, decoder }) => ({ came, end: decoder.end() }));
};

// Every cut of the same bytes into two, and byte by byte, one after another.
exports.cuts = async function cuts(student, { bytes }) {
  const ways = Array.from({ length: bytes.length + 1 }, (_, at) => [
    bytes.subarray(0, at),
    bytes.subarray(at),
  ]);
  ways.push(Array.from(bytes, (byte) => Buffer.of(byte)));
  return ways.map((chunks) => {
    const decoder = student.decoder();
    const came = chunks.map((chunk) => decoder.write(Buffer.from(chunk)));
    return { came, end: decoder.end() };
  });
};
