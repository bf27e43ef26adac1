import { StringDecoder } from "node:string_decoder";

const MARK = "\ufeff";

export function decoder() {
  const utf8 = new StringDecoder("utf8");
  let begun = false;
  const unmarked = (text) => {
    if (begun || text === "") return text;
    begun = true;
    return text.startsWith(MARK) ? text.slice(MARK.length) : text;
  };
  return {
    write: (chunk) => unmarked(utf8.write(chunk)),
    end: () => unmarked(utf8.end()),
  };
}
