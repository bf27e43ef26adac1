export function decoder() {
  let first = true;
  return {
    write(chunk) {
      const text = chunk.toString();
      const marked = first && text.startsWith("\ufeff");
      first = false;
      return marked ? text.slice(1) : text;
    },
    end: () => "",
  };
}
