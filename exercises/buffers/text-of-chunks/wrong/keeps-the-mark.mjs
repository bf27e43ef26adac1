import { StringDecoder } from "node:string_decoder";

export function decoder() {
  const utf8 = new StringDecoder("utf8");
  return {
    write: (chunk) => utf8.write(chunk),
    end: () => utf8.end(),
  };
}
