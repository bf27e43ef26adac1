export function waiting(cost, now) {
  let jobs = [];
  const inTime = (job, before = 0) => now() + (before + 1) * cost <= job.deadline;

  function refuseTheLate() {
    const late = jobs.filter((job) => !inTime(job));
    jobs = jobs.filter((job) => inTime(job));
    for (const job of late) job.refuse();
  }

  return {
    add(job) {
      refuseTheLate();
      if (!inTime(job, jobs.length)) {
        job.refuse();
        return false;
      }
      jobs.push(job);
      return true;
    },
    next() {
      refuseTheLate();
      return jobs.shift() ?? null;
    },
  };
}
