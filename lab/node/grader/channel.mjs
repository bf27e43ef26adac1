// The driver's end of the conversation with inside.js: frames in, each with its number and a code made with the key.
import { createHash, timingSafeEqual } from "node:crypto";

const digest = (text) => createHash("sha256").update(text).digest("hex");
// Made with the key out of something of one length: nothing can be added to it. See `codeOf` in inside.js.
const codeOf = (key, text) => digest(key + digest(text));
const LONGEST = 16 * 1024 * 1024; // bytes of one frame; what is longer ends the conversation

export class Channel {
  #rest = [];
  #size = 0;
  #next = 0;
  #sent = 0;

  /** `socket` is the pipe to the hand-in; `receive(frame)` gets what the harness said, `broken(why)` what it cannot have said. */
  constructor(socket, key, { receive, broken, ended: onEnd }) {
    this.socket = socket;
    this.key = key;
    this.broken = broken;
    socket.on("data", (chunk) => {
      let from = 0;
      for (let end = chunk.indexOf(10, from); end >= 0; end = chunk.indexOf(10, from)) {
        const line = Buffer.concat([...this.#rest, chunk.subarray(from, end)]);
        this.#rest = [];
        this.#size = 0;
        from = end + 1;
        const frame = this.#frame(line);
        if (frame === undefined) return;
        receive(frame);
      }
      if (from < chunk.length) {
        this.#rest.push(chunk.subarray(from));
        this.#size += chunk.length - from;
        if (this.#size > LONGEST) this.#stop(`sent a value of more than ${LONGEST >> 20} MiB`);
      }
    });
    socket.on("error", () => {}); // it ended in the middle of something: "close" comes too
    socket.on("close", onEnd);
  }

  /** The first line: the key is in it, so nothing signs it; the hand-in is not there yet. */
  begin(config) {
    this.socket.write(`${JSON.stringify(config)}\n`);
  }

  send(frame) {
    if (this.socket.destroyed) return;
    const text = JSON.stringify([this.#sent++, frame]);
    this.socket.write(`${codeOf(this.key, text)} ${text}\n`);
  }

  #frame(line) {
    const code = Buffer.from(line.subarray(0, 64).toString("latin1"), "hex");
    const text = line.subarray(65);
    const right = Buffer.from(codeOf(this.key, text), "hex");
    if (code.length !== right.length || !timingSafeEqual(code, right))
      return this.#stop("wrote into the channel of the check");
    const [number, frame] = JSON.parse(text.toString());
    if (number !== this.#next++) return this.#stop("sent what had been sent before");
    return frame;
  }

  #stop(why) {
    this.socket.removeAllListeners("data");
    this.socket.destroy();
    this.broken(why);
    return undefined;
  }
}
