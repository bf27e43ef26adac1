// A client uploads 16 MiB and leaves when half of them have been written. What does each way of saving hear of that,
// how much is in the file, and is it still open?
import { once } from "node:events";
import { createWriteStream, mkdtempSync, rmSync, statSync } from "node:fs";
import { createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { setTimeout as pause } from "node:timers/promises";
import { print } from "../shared/asking.mjs";

const MIB = 2 ** 20;
const folder = mkdtempSync(join(tmpdir(), "left-"));

// ways to save: each says when it believes that it is done, and with what
const ways = {
  pipe: (upload, file, done) => {
    upload.pipe(file).on("finish", () => done("whole"));
  },
  "data, then close": (upload, file, done) => {
    upload.on("data", (chunk) => file.write(chunk));
    upload.on("close", () => file.end(() => done("whole")));
  },
  pipeline: (upload, file, done) => {
    pipeline(upload, file).then(
      () => done("whole"),
      (error) => done(error.code),
    );
  },
};
// end of the ways

for (const [how, save] of Object.entries(ways)) {
  const path = join(folder, how);
  const file = createWriteStream(path);
  let heard = "nothing";
  const server = createServer((upload) => {
    save(upload, file, (said) => {
      heard = said;
    });
    upload.once("close", () => server.emit("left"));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  const headers = { "content-length": 16 * MIB };
  const client = request({ host: "127.0.0.1", port, method: "POST", headers });
  client.on("error", () => {}); // it leaves before there is an answer
  for (let i = 0; i < 8; i += 1) client.write(Buffer.alloc(MIB, "movie "));
  while (file.bytesWritten < 8 * MIB) await pause(5);
  const left = once(server, "left");
  client.destroy();
  await left;
  await pause(200); // whoever has something to do has time to do it
  const mib = statSync(path).size / MIB;
  print({ how, "the server hears": heard, "in the file (MiB)": mib, open: !file.closed });
  file.destroy();
  server.close();
}
rmSync(folder, { recursive: true });
