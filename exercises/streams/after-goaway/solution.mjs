import { connect, constants } from "node:http2";

const { NGHTTP2_NO_ERROR, NGHTTP2_REFUSED_STREAM } = constants;
const MOST = 3;
const sessions = new Map();

function sessionOf(origin) {
  if (sessions.has(origin)) return sessions.get(origin);
  const session = connect(origin);
  const forget = () => {
    if (sessions.get(origin) === session) sessions.delete(origin);
  };
  session.on("goaway", forget);
  session.on("error", forget);
  session.on("close", forget);
  sessions.set(origin, session);
  return session;
}

/** One attempt: resolves to how the stream was closed, and to the body if there is a whole one. */
function attempt(origin, path, body) {
  return new Promise((resolve) => {
    const stream = sessionOf(origin).request({ ":method": "POST", ":path": path });
    let text = "";
    let answered = false;
    let error;
    stream.setEncoding("utf8");
    stream.on("response", () => {
      answered = true;
    });
    stream.on("data", (chunk) => {
      text += chunk;
    });
    stream.on("error", (reason) => {
      error = reason;
    });
    stream.on("close", () => {
      const code = stream.rstCode;
      if (answered && !error && code === NGHTTP2_NO_ERROR) resolve({ text });
      else resolve({ code, error: error ?? new Error(`the stream was closed with code ${code}`) });
    });
    stream.end(body);
  });
}

export async function post(origin, path, body) {
  for (let time = 1; ; time++) {
    const { text, code, error } = await attempt(origin, path, body);
    if (!error) return text;
    if (code !== NGHTTP2_REFUSED_STREAM || time === MOST) throw error;
  }
}
