export function decoder() {
  const chunks = [];
  return {
    write(chunk) {
      chunks.push(Buffer.from(chunk));
      return "";
    },
    end() {
      const text = Buffer.concat(chunks).toString();
      return text.startsWith("\ufeff") ? text.slice(1) : text;
    },
  };
}
