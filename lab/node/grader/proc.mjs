// What the kernel says about a process: read from outside, so nothing that the process says about itself counts. Linux alone
// tells it; elsewhere whoever asks gets Unseen, and the criterion has no verdict.

import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { availableParallelism } from "node:os";
import { Noisy } from "./conversation.mjs";

const read = (path) => {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
};
const list = (path) => {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
};

/** The children of each process, as a map from pid to pids. */
function families() {
  const children = new Map();
  for (const pid of list("/proc").filter((name) => /^\d+$/.test(name))) {
    const parent = Number(
      read(`/proc/${pid}/stat`)
        .replace(/^.*\) \S /s, "")
        .split(" ", 1)[0],
    );
    children.set(parent, [...(children.get(parent) ?? []), Number(pid)]);
  }
  return children;
}

/** All that descend from a process, itself first. */
export function family(pid) {
  const children = families();
  const all = [pid];
  for (let at = 0; at < all.length; at++) all.push(...(children.get(all[at]) ?? []));
  return all;
}

/** The number that a process has in each of the process namespaces it is in, the outermost first. */
const numbers = (pid) =>
  read(`/proc/${pid}/status`)
    .match(/^NSpid:\s+(.*)$/m)?.[1]
    .split(/\s+/)
    .map(Number) ?? [];

/**
 * The processes of a program, itself first: those in the namespace that bubblewrap made, in the order of their start, without
 * bubblewrap's own, which is the first in there. What a process is called tells nothing, as it may call itself anything, nor who
 * its parent is, as that may have ended. Without a sandbox: all that descend from it.
 */
export function program(pid) {
  const pids = family(pid);
  const outside = numbers(pid).length;
  const within = pids
    .map((each) => ({ pid: each, at: numbers(each)[outside] }))
    .filter(({ at }) => at > 1)
    .sort((a, b) => a.at - b.at);
  return within.length > 0 ? within.map((each) => each.pid) : pids;
}

/** Only Linux shows this. */
export class Unseen extends Noisy {
  constructor() {
    super("this can be observed only on Linux");
  }
}
/**
 * A question of this file to a program: `sum` makes one answer of those of its processes, itself first. What it moved into a child
 * counts like its own. Unseen where nothing would answer.
 */
export const asked =
  (question, pid, sum, of = program) =>
  () => {
    if (process.platform !== "linux") throw new Unseen();
    return sum(of(pid()).map(question));
  };
/** Numbers, or objects of numbers, added up. */
export const added = (all) =>
  typeof all[0] === "number"
    ? all.reduce((sum, each) => sum + each, 0)
    : Object.fromEntries(
        Object.keys(all[0]).map((name) => [name, added(all.map((each) => each[name]))]),
      );
/** The descriptors of all: those of the first by their numbers, of its children by "child/number". */
export const together = ([own, ...others]) =>
  Object.assign(
    own,
    ...others.map((open, at) =>
      Object.fromEntries(
        Object.entries(open).map(([number, target]) => [`${at + 1}/${number}`, target]),
      ),
    ),
  );

const kib = (pid, field) =>
  Number(read(`/proc/${pid}/status`).match(new RegExp(`^${field}:\\s+(\\d+)`, "m"))?.[1] ?? 0);

/** Resident bytes of a process now, and at its highest. */
export const memory = (pid) => ({ now: kib(pid, "VmRSS") * 1024, peak: kib(pid, "VmHWM") * 1024 });
export const threads = (pid) => list(`/proc/${pid}/task`).length;
/** What its descriptors are: {number: target}. */
export function descriptors(pid) {
  const open = {};
  for (const number of list(`/proc/${pid}/fd`))
    try {
      open[number] = readlinkSync(`/proc/${pid}/fd/${number}`);
    } catch {
      // closed meanwhile
    }
  return open;
}
/** Page faults without disk that a process has had. */
export const faults = (pid) =>
  Number(
    read(`/proc/${pid}/stat`)
      .replace(/^.*\) /s, "")
      .split(" ")[7] ?? 0,
  );
/**
 * Processor time that a process has used, in milliseconds (user, system; the kernel counts in 10 ms), with that of its children that
 * have ended: whoever lets a child compute has computed.
 */
export function cpu(pid) {
  const fields = read(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, "")
    .split(" ");
  // One that has just ended has no such file any more: it adds nothing.
  const ticks = (own, children) =>
    ((Number(fields[own]) || 0) + (Number(fields[children]) || 0)) * 10;
  return { user: ticks(11, 13), system: ticks(12, 14) };
}
/** Whether a process has had a child that has ended: no child ends without a page fault. */
export const outlived = (pid) =>
  Number(
    read(`/proc/${pid}/stat`)
      .replace(/^.*\) /s, "")
      .split(" ")[8] ?? 0,
  ) > 0;
/** Milliseconds that the threads which a process has now have had a processor. */
export const worked = (pid) =>
  list(`/proc/${pid}/task`).reduce(
    (sum, thread) =>
      sum + (Number(read(`/proc/${pid}/task/${thread}/schedstat`).split(" ", 1)[0]) || 0) / 1e6,
    0,
  );
/** Whether no thread of a process runs, or will before somebody lets it. */
export const stopped = (pid) =>
  list(`/proc/${pid}/task`).every((thread) =>
    /\) [TtZX] /.test(read(`/proc/${pid}/task/${thread}/stat`) || ") X "),
  );
/** Milliseconds that the main thread of a process has stood in the queue for a processor. */
export const waited = (pid) => Number(read(`/proc/${pid}/schedstat`).split(" ")[1] ?? 0) / 1e6;
/**
 * Whether a program stood in the queue for most of these milliseconds, and not because of what it computes itself: then the machine
 * has other things to do, and what did not come in time says nothing. `looks`: {at, waited, had}, all in milliseconds, and how many
 * `processes` the program has: each may have a processor of its own, so several that start have more than one that computes.
 */
export function starved(looks, from, milliseconds, processors = availableParallelism()) {
  const first = looks.find(({ at }) => at >= from);
  const last = looks.at(-1);
  if (!first || last.at - first.at < milliseconds / 2) return false; // it had ended, or was not there
  const passed = last.at - first.at;
  const processes = Math.max(...looks.map((look) => look.processes));
  const quarter = (passed / 4) * Math.min(processes, processors);
  return last.waited - first.waited > passed / 2 && last.had - first.had < quarter;
}
/** TCP ports somebody listens on in this network, with the socket's inode. */
export function listening() {
  const ports = [];
  for (const table of ["/proc/net/tcp", "/proc/net/tcp6"])
    for (const line of read(table).split("\n").slice(1)) {
      const [, local, , state, , , , , , inode] = line.trim().split(/\s+/);
      if (state === "0A") ports.push({ port: Number.parseInt(local.split(":")[1], 16), inode });
    }
  return ports;
}
/**
 * Which of these processes has the other end of the connection from that port to this one: the kernel's tables have both ends. The
 * last one of those that have it, as a process that hands a connection on keeps it for a moment.
 */
export function peer(pids, port, from) {
  const hex = (number) => number.toString(16).toUpperCase().padStart(4, "0");
  for (const table of ["/proc/net/tcp", "/proc/net/tcp6"])
    for (const line of read(table).split("\n").slice(1)) {
      const [, local, remote, , , , , , , inode] = line.trim().split(/\s+/);
      if (local?.endsWith(`:${hex(port)}`) && remote.endsWith(`:${hex(from)}`) && inode !== "0")
        return pids.findLast((pid) =>
          Object.values(descriptors(pid)).includes(`socket:[${inode}]`),
        );
    }
  return undefined;
}
/** The ports on which a family of processes listens. */
export function portsOf(pid) {
  const inodes = new Set(
    family(pid).flatMap((each) =>
      Object.values(descriptors(each)).flatMap(
        (target) => target.match(/^socket:\[(\d+)\]$/)?.[1] ?? [],
      ),
    ),
  );
  if (inodes.size === 0) return []; // for its tables Linux goes through all connections of the machine
  return [
    ...new Set(
      listening()
        .filter(({ inode }) => inodes.has(inode))
        .map(({ port }) => port),
    ),
  ];
}
