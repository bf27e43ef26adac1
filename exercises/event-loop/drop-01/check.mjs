import net from "node:net";

/** Whether a server accepts a connection at this address. */
const accepts = (host, port) =>
  new Promise((resolve) => {
    const socket = net.connect({ host, port, timeout: 2000 });
    const done = (accepted) => {
      resolve(accepted);
      socket.destroy();
    };
    socket.once("connect", () => done(true));
    for (const event of ["error", "timeout"]) socket.once(event, () => done(false));
  });

/** A port that is free now. */
const free = () =>
  new Promise((resolve) => {
    const server = net.createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

const started = (t) => t.once("server", async () => (await t.shared()).started(t));

export default {
  async answers(t) {
    const { greets } = await t.shared();
    await greets(t, await started(t));
  },

  async refuses(t) {
    const { refuses } = await t.shared();
    await refuses(t, await started(t));
  },

  async port(t) {
    await (await started(t)).stop(); // a program with a port of its own choice would find it taken
    const port = await free();
    const server = await t.server({ env: { PORT: String(port) } });
    try {
      t.equal(server.port, port, `PORT was ${port}, but the server listened on another port`);
      t.ok(
        !(await accepts("127.0.0.2", port)),
        "the server can also be reached at 127.0.0.2, so it listens on all addresses of the machine, not only on 127.0.0.1",
      );
    } finally {
      await server.stop();
    }
    const taken = net.createServer();
    await new Promise((resolve) => taken.listen(0, "127.0.0.1", resolve));
    const env = { PORT: String(taken.address().port) };
    try {
      const { code, signal, stderr } = await t.program({ env }).catch((error) => {
        if (!/did not end/.test(error.message)) throw error;
        t.miss(
          "the server's port was taken, but 5 s later the server was still running, though it served no client",
          {
            wanted: "exit code 1",
          },
        );
      });
      t.equal(
        signal ?? code,
        1,
        "the server's port was taken, but the server did not end with exit code 1",
      );
      t.ok(
        stderr.trim(),
        "the server's port was taken, but the server did not say so on standard error",
      );
    } finally {
      taken.close();
    }
  },

  async leaves(t) {
    const { leaves, started: start } = await t.shared();
    for (const signal of ["SIGTERM", "SIGINT"]) await leaves(t, await start(t), signal);
  },
};
