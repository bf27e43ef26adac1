export function deal(processes, events) {
  const line = Array.from({ length: processes }, (_, i) => i + 1);
  const computes = new Set();
  const undealt = [];
  const owners = {};
  const waits = [];
  const next = () => {
    while (line.length > 0 && undealt.length > 0) {
      const at = line.findIndex((one) => !computes.has(one));
      if (at < 0) return;
      const [process] = line.splice(at, 1);
      owners[undealt.shift()] = process;
      line.push(process);
    }
  };
  for (const { is, id, process } of events) {
    if (is === "connect") {
      owners[id] = 0;
      undealt.push(id);
    } else if (is === "begins") computes.add(process);
    else if (is === "done") {
      computes.delete(process);
    } else waits.push(owners[id] === 0 || computes.has(owners[id]));
    next();
  }
  return { owners, waits };
}
