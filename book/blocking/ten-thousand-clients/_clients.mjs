// Clients of the server at SERVER_URL that keep their connections, and what the system says of the server's processes.
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { setTimeout as after } from "node:timers/promises";
import { address } from "../../streams/shared/asking.mjs";
import { tree } from "../../streams/shared/watching.mjs";

const AT_ONCE = 64; // connections that are being opened; more would meet the server's backlog
const SPARE = 200; // descriptors and ports that are left to others
const LONGEST_MS = 100_000; // no client lives longer
const OURS = "HTTP/1.1 200";

export const read = (path) => {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
};
const numberIn = (text, key) => Number(new RegExp(`^${key}:\\s+(\\d+)`, "m").exec(text)?.[1]);

/** How many of so many clients fit into this process's descriptors and the ports of one address. Fewer are told on stderr. */
export const fitting = (wanted) => {
  const { soft } = process.report.getReport().userLimits?.open_files ?? {};
  const descriptors = typeof soft === "number" ? soft - SPARE : Number.POSITIVE_INFINITY;
  const [from, to] = (
    read("/proc/sys/net/ipv4/ip_local_port_range").match(/\d+/g) ?? [49_152, 65_535]
  ).map(Number);
  const most = Math.max(1, Math.min(wanted, descriptors, to - from - SPARE));
  if (most < wanted)
    console.error(`${wanted} clients are wanted, and this machine's limits allow ${most}.`);
  return most;
};

/** Measurements of the smoke profile ask whether everything runs: a tenth of the clients. */
export const isSmoke = process.env.LAB_PROFILE === "smoke";
export const counts = (words) => {
  const scale = isSmoke ? 0.1 : 1;
  return [...new Set(words.map((word) => fitting(Math.ceil(Number(word) * scale))))];
};

/** Clients of one server. */
export const crowd = () => {
  const where = address();
  const clients = [];
  const hear = (socket) => (bytes) => {
    socket.heard += bytes;
    if (!socket.heard.endsWith(socket.ends ?? "Data response")) return;
    const { settle, heard } = socket;
    socket.heard = "";
    if (heard.startsWith(OURS)) settle?.resolve(heard);
    else settle?.reject(new Error(`The server has sent ${heard.slice(0, 60)}`));
  };
  const open = () =>
    new Promise((resolve, reject) => {
      const socket = Object.assign(connect(where), { heard: "" });
      socket.setEncoding("latin1").on("data", hear(socket));
      const fail = (error) => {
        reject(error);
        socket.settle?.reject(error);
      };
      socket.on("error", fail).on("close", () => fail(new Error("The server has hung up.")));
      socket.once("connect", () => resolve(socket));
    });
  /** Asks for a path; how many milliseconds the response took. */
  const ask = async (socket, path) => {
    const since = performance.now();
    await new Promise((resolve, reject) => {
      socket.settle = { resolve, reject };
      socket.write(`GET ${path} HTTP/1.1\r\nhost: me\r\n\r\n`);
    });
    return performance.now() - since;
  };
  /** Opens connections until there are so many; each has been served once, so its thread or process is there. */
  const upTo = async (many) => {
    const one = async () => {
      while (clients.length < many) {
        const at = clients.push(undefined) - 1;
        clients[at] = await open();
        await ask(clients[at], "/ping");
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, one));
  };
  const leave = () => {
    for (const socket of clients) socket?.removeAllListeners("close").resetAndDestroy();
  };
  setTimeout(() => process.exit(1), LONGEST_MS).unref();
  return { clients, ask, upTo, leave };
};

/** What the server's processes have. Memory in KiB: `own` is proportional, so that what processes share is counted once. */
export const watched = async () => {
  await after(100); // what has just been opened comes to rest
  const processes = tree(Number(process.env.SERVER_PID));
  const sum = (file, key) =>
    processes.reduce((all, pid) => all + numberIn(read(`/proc/${pid}/${file}`), key), 0);
  return {
    own: sum("smaps_rollup", "Pss"),
    promised: sum("status", "VmSize"),
    tables: sum("status", "VmPTE"),
    stacks: numberIn(read("/proc/meminfo"), "KernelStack"),
    slab: numberIn(read("/proc/meminfo"), "Slab"),
    threads: sum("status", "Threads"),
  };
};

/** How often the server's threads have given up a processor, or lost it. */
export const switches = (readdir) => {
  const pid = process.env.SERVER_PID;
  const tasks = readdir(`/proc/${pid}/task`);
  return tasks.reduce((all, task) => {
    const status = read(`/proc/${pid}/task/${task}/status`);
    const of = (key) => numberIn(status, key);
    return all + (of("voluntary_ctxt_switches") + of("nonvoluntary_ctxt_switches") || 0);
  }, 0);
};

export const quantile = (values, q) => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))];
};
