// The CPU limit of the container, or of whatever group of processes this one is in: in how many of the system's periods the
// group was stopped because it had used up its share. Linux tells it (cgroups of both versions); elsewhere null.
"use strict";
const fs = require("node:fs");
const path = require("node:path");
const { readFileSync } = fs; // that of Node, whatever the program makes of it later

const DEEPEST = 20;

function read(file) {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return null;
  }
}

// The folders of the group and of those around it, up to the root, in which a limit may be set.
function folders(root, groups) {
  const groupFolders = [];
  for (const line of groups.split("\n")) {
    const [, controllers, ownPath] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    if (ownPath === undefined) continue;
    const isUnified = controllers === "";
    if (!isUnified && !controllers.split(",").includes("cpu")) continue;
    const base = isUnified ? root : path.join(root, controllers);
    for (let at = ownPath, depth = 0; depth < DEEPEST; at = path.dirname(at), depth += 1) {
      groupFolders.push(path.join(base, at));
      if (at === "/" || at === ".") break;
    }
  }
  return groupFolders;
}

// How many processors' time the folder's limit gives; null where there is none.
function processors(folder) {
  const [quota, period] = (read(path.join(folder, "cpu.max")) ?? "").split(" ").map(Number);
  if (quota > 0 && period > 0) return quota / period;
  const older = Number(read(path.join(folder, "cpu.cfs_quota_us")));
  const every = Number(read(path.join(folder, "cpu.cfs_period_us")));
  return older > 0 && every > 0 ? older / every : null;
}

module.exports = function limit(root = "/sys/fs/cgroup", groups = read("/proc/self/cgroup")) {
  const limited = folders(root, groups ?? "").filter((folder) => processors(folder) !== null);
  return {
    periods() {
      let most = null;
      for (const folder of limited) {
        const text = read(path.join(folder, "cpu.stat")) ?? "";
        const number = (name) => Number(new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1] ?? 0);
        const one = { all: number("nr_periods"), stopped: number("nr_throttled") };
        one.processors = processors(folder);
        if (most === null || one.stopped > most.stopped) most = one;
      }
      return most;
    },
  };
};
