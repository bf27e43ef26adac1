// The clock stands where the scene sets it. steps: {at, add: {id, deadline}} or {at, next: true}.
exports.play = async function play(student, { cost, steps }) {
  let time = 0;
  const queue = student.waiting(cost, () => time);
  if (typeof queue?.add !== "function" || typeof queue.next !== "function")
    return { kind: queue === null ? "null" : typeof queue };
  const log = [];
  for (const { at, add } of steps) {
    time = at;
    const refused = [];
    log.push({ at, refused });
    const entry = log.at(-1);
    if (add) {
      const job = {
        id: add.id,
        deadline: add.deadline,
        refuse: () => log.at(-1).refused.push(add.id),
      };
      const told = queue.add(job);
      entry.added = add.id;
      entry.told = told;
    } else {
      const job = queue.next();
      entry.next = job === null || job === undefined ? null : (job.id ?? "something else");
    }
  }
  return { log };
};
