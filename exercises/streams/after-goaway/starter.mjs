import { connect } from "node:http2";

export function post(origin, path, body) {
  return new Promise((resolve, reject) => {
    const session = connect(origin);
    const stream = session.request({ ":method": "POST", ":path": path });
    let text = "";
    stream.setEncoding("utf8");
    stream.on("data", (chunk) => {
      text += chunk;
    });
    stream.on("end", () => resolve(text));
    stream.on("error", reject);
    stream.end(body);
  });
}
