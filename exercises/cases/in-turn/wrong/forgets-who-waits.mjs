export function deal(processes, events) {
  const line = Array.from({ length: processes }, (_, i) => i + 1);
  const computes = new Set();
  const holds = new Set(); // given a connection that they have not taken
  const undealt = [];
  const owners = {};
  const waits = [];
  const next = () => {
    while (line.length > 0 && undealt.length > 0) {
      const process = line.shift();
      owners[undealt.shift()] = process;
      if (computes.has(process)) holds.add(process);
      else line.push(process);
    }
  };
  for (const { is, id, process } of events) {
    if (is === "connect") {
      owners[id] = 0;
      undealt.push(id);
    } else if (is === "begins") computes.add(process);
    else if (is === "done") {
      computes.delete(process);
      if (holds.delete(process)) line.push(process);
    } else waits.push(owners[id] === 0 || computes.has(owners[id]));
    if (is === "connect") next();
  }
  return { owners, waits };
}
