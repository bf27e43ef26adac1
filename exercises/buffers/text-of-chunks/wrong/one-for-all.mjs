const utf8 = new TextDecoder();

export function decoder() {
  return {
    write: (chunk) => utf8.decode(chunk, { stream: true }),
    end: () => utf8.decode(),
  };
}
