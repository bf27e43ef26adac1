// A name server of one address which takes its time; it answers A questions with 127.0.0.1.
import { createSocket } from "node:dgram";

export function nameServer(delay) {
  const socket = createSocket("udp4");
  socket.on("message", (question, from) => {
    const end = question.indexOf(0, 12) + 5;
    const head = Buffer.from(question.subarray(0, end));
    const wantsA = question.readUInt16BE(end - 4) === 1;
    head.writeUInt16BE(0x8180, 2);
    head.writeUInt16BE(wantsA ? 1 : 0, 6);
    head.fill(0, 8, 12);
    const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 127, 0, 0, 1]);
    const answer = wantsA ? Buffer.concat([head, record]) : head;
    setTimeout(() => socket.send(answer, from.port, from.address), delay);
  });
  return new Promise((done) => {
    socket.bind(0, "127.0.0.1", () => done(`127.0.0.1:${socket.address().port}`));
  });
}
