export function decoder() {
  const utf8 = new TextDecoder();
  return {
    write: (chunk) => utf8.decode(chunk, { stream: true }),
    end: () => "",
  };
}
