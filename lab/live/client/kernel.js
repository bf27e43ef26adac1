// The kernel of this page: asked for at the first Run, over the server that sent the page.

import { KernelAPI, KernelConnection, ServerConnection } from "@jupyterlab/services";
import { Fault, fault, otherTab } from "./faults.js";

const LOOK_MS = 5000; // a kernel that is ended elsewhere does not say so over its socket
const MISSED = 2;
const ANSWERS_MS = 10_000;
const ATTEMPTS = 10;
const ENDED = ["dead", "autorestarting", "restarting"];

// The library's promise to connect again is nobody's once we have given the kernel up, and would be told as an error.
addEventListener("unhandledrejection", (event) => {
  if (event.reason?.message === "Kernel connection disconnected") event.preventDefault();
});

/** A page's kernel. `tell` is called with {kind, message} when something happens to it, with null when all is well. */
export class PageKernel {
  #settings;
  #root;
  #page;
  #tab;
  #tell;
  #connection = null;
  #leaving = false;
  #missed = 0; // how often the server did not answer, one time after another
  #last = null; // why the connection was given up
  #ending = null;

  constructor({ base, root, page, tab, tell }) {
    const url = new URL(base, location.href);
    const ws = new URL(url);
    ws.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    // No token: the cookie of whoever is signed in holds, for requests and for the socket.
    this.#settings = ServerConnection.makeSettings({
      baseUrl: url.href,
      appUrl: url.href,
      wsUrl: ws.href,
      token: "",
      appendToken: false,
      init: { cache: "no-store", credentials: "same-origin" },
    });
    this.#root = new URL(root, location.href);
    this.#page = page;
    this.#tab = tab;
    this.#tell = tell;
  }

  get running() {
    return this.#connection !== null;
  }

  get id() {
    return this.#connection?.id ?? null;
  }

  /** Be connected. Says {fresh, profile}: whether it knows nothing yet. Throws a Fault. */
  async start({ take = false } = {}) {
    await this.#ending;
    const { kernel, connection } = await this.#connected(take);
    this.#connection = connection;
    this.#leaving = false;
    this.#missed = 0;
    this.#last = null;
    const looking = setInterval(() => {
      if (connection.isDisposed) clearInterval(looking);
      else if (this.#connection === connection) this.#look(connection);
    }, LOOK_MS);
    connection.statusChanged.connect((_, status) => this.#status(connection, status));
    connection.connectionStatusChanged.connect(() => this.#link(connection));
    return kernel;
  }

  /** A connection to a kernel that has answered, and the server's record of the kernel. A kernel may die while it
   * starts, and requests to it may then be lost. In that case we ask the server again: it starts another kernel, or
   * says that this kernel lives.
   */
  async #connected(take) {
    let kernel = null;
    for (let i = 0; i < ATTEMPTS; i++) {
      kernel = await this.#given(take, kernel);
      const connection = new KernelConnection({
        model: { id: kernel.kernel, name: "" },
        serverSettings: this.#settings,
      });
      const late = new Promise((_, reject) => {
        setTimeout(reject, ANSWERS_MS);
        connection.statusChanged.connect((_, status) => ENDED.includes(status) && reject());
      });
      try {
        await Promise.race([connection.info, late]);
        // What answers may be the one that Jupyter puts in the place of one that died, which ends with its session.
        if ((await this.#session())?.kernel === kernel.kernel) return { kernel, connection };
      } catch {
        // Asked again.
      }
      connection.dispose();
    }
    throw fault("gone");
  }

  /** What the server says of this page's kernel; `before`: what it said a moment ago. */
  async #given(take, before) {
    const url = new URL("_live/run", this.#root).href;
    const again = before !== null;
    const body = JSON.stringify({ page: this.#page, tab: this.#tab, take: take && !again });
    const response = await this.#ask(url, { method: "POST", body });
    const answer = await response.json().catch(() => ({}));
    if (response.status === 409) {
      // The server has not seen yet that we let go of the connection before.
      if (again && answer.tab === this.#tab) return before;
      throw new Fault("elsewhere", `This page runs in another tab (${otherTab(answer)}).`);
    }
    if (!response.ok) throw new Fault("refused", answer.message ?? response.statusText);
    return answer.kernel === before?.kernel ? before : answer;
  }

  /** Run code; `on(message)` gets what comes of it. Returns the reply's content. Throws a Fault. */
  async execute(code, on) {
    const connection = this.#connection;
    if (!connection) throw this.#last ?? fault("died"); // since the cell before
    const future = connection.requestExecute(
      { code, stop_on_error: true, allow_stdin: false },
      false,
    );
    future.onIOPub = on;
    let onStatus;
    const disconnection = new Promise((_, reject) => {
      onStatus = (_sender, status) => {
        if (ENDED.includes(status)) reject(fault("died"));
      };
      connection.statusChanged.connect(onStatus);
      connection.disposed.connect(() => reject(this.#last ?? fault("died")));
    });
    try {
      return (await Promise.race([future.done, disconnection])).content;
    } catch (error) {
      throw error instanceof Fault ? error : fault("died");
    } finally {
      connection.statusChanged.disconnect(onStatus);
      future.dispose();
    }
  }

  /** Tell the server what ran: `own`, whether it was the book's cells, all of it. */
  async ran(own) {
    const body = JSON.stringify({ page: this.#page, tab: this.#tab, own });
    // What is not told is not among the reader's results; nothing else hangs on it.
    await this.#ask(new URL("_live/ran", this.#root).href, { method: "POST", body }).catch(
      () => {},
    );
  }

  async interrupt() {
    if (this.#connection) await this.#asking(() => this.#connection.interrupt());
  }

  /** End it; the next start gets a fresh one. */
  async end() {
    const connection = this.#connection;
    if (!connection) return;
    this.#leaving = true;
    this.#connection = null;
    try {
      await this.#asking(() => KernelAPI.shutdownKernel(connection.id, this.#settings));
    } finally {
      connection.dispose();
    }
  }

  #drop(connection) {
    if (this.#connection !== connection) return;
    this.#connection = null;
    // Jupyter starts a kernel that died again by itself: the next run gets one of its own.
    if (this.#last?.kind === "died")
      this.#ending = KernelAPI.shutdownKernel(connection.id, this.#settings).catch(() => {});
    setTimeout(() => connection.dispose()); // not in the middle of its own signal
  }

  #status(connection, status) {
    if (this.#leaving || this.#connection !== connection) return;
    if (status === "dead" || status === "autorestarting") {
      this.#last = fault("died");
      this.#drop(connection);
      this.#taken().then((taken) => this.#tell(taken ?? fault("died")));
    }
  }

  #link(connection) {
    if (this.#leaving || this.#connection !== connection) return;
    this.#look(connection);
  }

  /** Is there still something behind the socket? */
  async #look(connection) {
    try {
      const model = await KernelAPI.getKernelModel(connection.id, this.#settings);
      if (model) {
        // There, and the library connects again by itself.
        this.#missed = 0;
        if (connection.connectionStatus === "connected") this.#tell(null);
        return;
      }
      this.#last = (await this.#taken()) ?? fault("died");
    } catch (error) {
      const status = error?.response?.status;
      this.#last = fault(status === 403 || status === 401 ? "signedOut" : "gone");
      this.#missed += 1;
    }
    if (this.#connection !== connection) return;
    this.#tell(this.#last);
    // A server may come back, for a moment: what it knows of us is gone with it, or is not.
    if (this.#last.kind !== "gone" || this.#missed >= MISSED) this.#drop(connection);
  }

  /** A kernel that is gone may have been ended for another tab; a Fault that says so, or null. */
  async #taken() {
    const said = await this.#session();
    if (!said || said.tab === this.#tab) return null;
    return new Fault("elsewhere", `Another tab runs this page now (${otherTab(said)}).`);
  }

  /** Which tab the page runs in, and its kernel; null if in none, or if the server does not say. */
  async #session() {
    const url = new URL("_live/run", this.#root);
    url.searchParams.set("page", this.#page);
    const response = await this.#ask(url.href, {}).catch(() => null);
    return response?.ok ? await response.json().catch(() => null) : null;
  }

  async #ask(url, init) {
    try {
      const response = await ServerConnection.makeRequest(url, init, this.#settings);
      if (response.status === 403 || response.status === 401) throw fault("signedOut");
      return response;
    } catch (error) {
      throw error instanceof Fault ? error : fault("gone");
    }
  }

  async #asking(work) {
    try {
      return await work();
    } catch (error) {
      const status = error?.response?.status;
      if (status === 404) return undefined; // it is gone already
      throw fault(status === 403 || status === 401 ? "signedOut" : "gone");
    }
  }
}
