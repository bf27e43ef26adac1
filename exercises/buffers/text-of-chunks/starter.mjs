export function decoder() {
  return {
    write(chunk) {
      return chunk.toString();
    },
    end() {
      return "";
    },
  };
}
