import { constants, mkdirSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import net from "node:net";
import { join } from "node:path";

const LARGE = 8 << 20; // more than the kernel keeps for a client that does not read

// The server, loaded where its calls can be noted; its disk is its folder.
const served = (t) =>
  t.once("server", async () => {
    const student = await t.module({ env: { DISK: ".", PORT: "0" } });
    const port = () => student.listens();
    if (!(await t.until(port, 4000)))
      t.miss(
        'your server did not listen: it should call listen(process.env.PORT, "127.0.0.1"), as the starter does',
        student.told(),
      );
    const files = Array.from({ length: 4 }, () => [
      t.token(),
      Buffer.from(Array.from({ length: 500 }, () => t.random.integer(0, 255))),
    ]);
    for (const [name, content] of files) student.put(name, content);
    mkdirSync(join(student.work, "folder"));
    writeFileSync(join(student.work, "large"), Buffer.alloc(LARGE, "large "));
    await student.scene("serving");
    return { student, port: port(), files };
  });

// Four reads stand before a gate, and somebody pings: what came while it was shut.
const gated = (t) =>
  t.once("gated", async () => {
    const { student, port } = await served(t);
    const pipes = Array.from({ length: 4 }, (_, i) => t.fifo(student, `pipe${i}-${t.token()}`));
    const asked = [];
    for (const { inside } of pipes) {
      const socket = net.connect(port, "127.0.0.1").on("error", () => {});
      await new Promise((resolve) => socket.once("connect", resolve).once("close", resolve));
      socket.write(
        `GET /${inside.split("/").at(-1)} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`,
      );
      asked.push(new Promise((resolve) => socket.resume().once("close", resolve)));
    }
    const ping = t.get({ port }, "/ping", { seconds: 2 });
    // A pipe can be opened for writing without waiting only while somebody waits to read it. The last one first: it lets nobody
    // else in, so whoever waits there waits beside the three before it.
    const waits = async ({ path }) => {
      try {
        await (await open(path, constants.O_WRONLY | constants.O_NONBLOCK)).close();
        return true;
      } catch (error) {
        if (error.code === "ENXIO") return false;
        throw error;
      }
    };
    const pong = await ping;
    const last = await t.until(() => waits(pipes[3]), 1500);
    // Whoever reads one after the other comes to a pipe when the one before it is open.
    let over = false;
    Promise.all(asked).then(() => {
      over = true;
    });
    await t.until(async () => {
      for (const pipe of pipes) await waits(pipe);
      return over;
    }, 3000);
    student.alone(); // what another process calls, or leaves open, nobody here would see
    return { pong, last };
  });

const stillOpen = (student, name) =>
  Object.values(student.descriptors()).filter((target) => target.endsWith(`/${name}`)).length;

export default {
  async answers(t) {
    const { port, files } = await served(t);
    for (const [name, content] of files) {
      const answer = await t.get({ port }, `/${name}`);
      t.ok(
        answer.status === 200 && answer.body?.equals(content),
        "the response to a request for a file of 500 bytes was wrong",
        {
          saw: answer.error ?? `${answer.status}, ${answer.body.length} bytes`,
          wanted: "200, its 500 bytes",
        },
      );
    }
    const [[name]] = files;
    const { student } = await served(t);
    const changed = t.token();
    student.put(name, changed);
    const again = await t.get({ port }, `/${name}`);
    t.ok(
      String(again.body) === changed,
      "a file had been changed on the disk, but its old content was sent",
    );
    const missing = await t.get({ port }, `/${t.token()}`);
    t.ok(missing.status === 404, "a request for a missing file was not answered with 404", {
      saw: missing.error ?? missing.status,
      wanted: 404,
    });
    const folder = await t.get({ port }, "/folder");
    t.ok(
      folder.status === 500,
      "a folder exists but cannot be read as a file, so a request for it should be answered with 500",
      { saw: folder.error ?? folder.status, wanted: 500 },
    );
  },

  async ping(t) {
    const { pong } = await gated(t);
    t.ok(
      String(pong.body) === "pong\n",
      "while four clients were waiting for files on a disk that did not respond, `/ping`, which reads nothing, was not answered, so the loop itself was waiting for the disk",
      { saw: pong.error ?? pong.status, wanted: "pong" },
    );
  },

  async four(t) {
    const { pong, last } = await gated(t);
    t.ok(
      last,
      pong.error
        ? "four clients requested files on a disk that did not respond, but only the first read began"
        : "four clients requested files on a disk that did not respond, but the fourth read did not begin, so the files are read one after the other",
      { wanted: "four reads waiting at the same time" },
    );
  },

  async sync(t) {
    const { student, port, files } = await served(t);
    const answers = [];
    await gated(t);
    for (const path of [...files.map(([name]) => `/${name}`), "/folder", `/${t.token()}`, "/ping"])
      answers.push(await t.get({ port }, path));
    t.ok(
      answers[1].body?.equals(files[1][1]),
      "a request for a file was not answered with its content",
    );
    const called = [...new Set(await student.scene("called"))];
    t.ok(
      called.length === 0,
      `while requests were served, ${called.map((name) => `\`${name}\``).join(", ")} ${called.length > 1 ? "were" : "was"} called. Every client has to wait until the disk has responded to such a call`,
    );
  },

  async closed(t) {
    const { student, port, files } = await served(t);
    await gated(t);
    const closed = async (name, when) => {
      await t.until(() => stillOpen(student, name) === 0);
      const left = stillOpen(student, name);
      t.ok(left === 0, `${left} descriptors were still open after ${when}`, {
        saw: left,
        wanted: 0,
      });
    };
    const [, [name]] = files;
    await t.clients({ port }, 4, `/${name}`, { times: 5 });
    await closed(name, "20 requests for a file had been answered");
    await t.clients({ port }, 4, "/folder", { times: 5 });
    await closed("folder", "20 requests for a folder had failed");
    await Promise.all(
      Array.from({ length: 10 }, async () => {
        const socket = net.connect(port, "127.0.0.1").on("error", () => {});
        socket.write("GET /large HTTP/1.1\r\nhost: localhost\r\n\r\n");
        await new Promise((resolve) => socket.once("data", resolve).once("close", resolve));
        socket.destroy();
      }),
    );
    await closed("large", "ten clients had left while a file of 8 MiB was arriving");
  },
};
