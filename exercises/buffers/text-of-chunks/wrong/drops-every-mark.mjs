import { StringDecoder } from "node:string_decoder";

export function decoder() {
  const utf8 = new StringDecoder("utf8");
  return {
    write: (chunk) => utf8.write(chunk).replaceAll("\ufeff", ""),
    end: () => utf8.end(),
  };
}
