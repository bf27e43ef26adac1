// What the system knows about a process and a connection, from outside: all of it from Linux's /proc, elsewhere
// what `ps` says, which is memory.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";

export const MIB = 2 ** 20;

/** Measurements of the smoke profile ask whether everything runs: a tenth of the bytes. */
export const scale = process.env.LAB_PROFILE === "smoke" ? 0.1 : 1;

const quietly = (work, otherwise) => {
  try {
    return work();
  } catch {
    return otherwise;
  }
};

const hasProc = existsSync("/proc/self/status");
const said = (...command) =>
  quietly(
    () => execFileSync(command[0], command.slice(1), { encoding: "utf8", stdio: "pipe" }),
    "",
  );

const childrenOf = (pid) => {
  if (!hasProc) return said("pgrep", "-P", pid);
  const tasks = quietly(() => readdirSync(`/proc/${pid}/task`), []);
  const children = (task) =>
    quietly(() => readFileSync(`/proc/${pid}/task/${task}/children`, "utf8"), "");
  return tasks.map(children).join(" ");
};

/** `pid` and its descendants. */
export const tree = (pid) => [
  pid,
  ...(childrenOf(pid).match(/\d+/g) ?? []).flatMap((child) => tree(Number(child))),
];

const residentKib = (pid) => {
  if (!hasProc) return Number(said("ps", "-o", "rss=", "-p", pid));
  const status = quietly(() => readFileSync(`/proc/${pid}/status`, "utf8"), "");
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0);
};

/** Resident memory of these processes in MiB, what they share counted once per process. */
export const residentMib = (pids) => pids.reduce((sum, pid) => sum + residentKib(pid), 0) / 1024;

/** Open descriptors of a process, by what they are: sockets, files by name, others. */
export const descriptors = (pid) =>
  quietly(() => readdirSync(`/proc/${pid}/fd`), []).map((fd) =>
    quietly(() => readlinkSync(`/proc/${pid}/fd/${fd}`), "gone"),
  );

/** Bytes of open but already deleted files, in MiB: what a program keeps on disk in secret. */
export const unlinkedMib = (pids) =>
  pids
    .flatMap((pid) => quietly(() => readdirSync(`/proc/${pid}/fd`), []).map((fd) => [pid, fd]))
    .filter(([pid, fd]) =>
      /\(deleted\)$/.test(quietly(() => readlinkSync(`/proc/${pid}/fd/${fd}`), "")),
    )
    .map(([pid, fd]) => quietly(() => statSync(`/proc/${pid}/fd/${fd}`).size, 0))
    .reduce((sum, size) => sum + size, 0) / MIB;

/** Bytes the kernel holds between two ports of this machine: sent or received, but not yet read. */
export function kernelMib(from, to) {
  const hex = (port) => port.toString(16).toUpperCase().padStart(4, "0");
  const queues = (a, b) =>
    quietly(() => readFileSync("/proc/net/tcp", "utf8"), "").match(
      new RegExp(`:${hex(a)} [0-9A-F]+:${hex(b)} [0-9A-F]+ ([0-9A-F]+):([0-9A-F]+)`),
    ) ?? [0, "0", "0"];
  return (parseInt(queues(from, to)[1], 16) + parseInt(queues(to, from)[2], 16)) / MIB;
}
