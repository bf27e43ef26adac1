// Gives jobs to a limiter, all at once, and tells what becomes of each. `work` is the driver: it says when a job is done, and how.
const fs = own.require("node:fs");

exports.give = async function give(student, { n, jobs, work, how = {} }, tell) {
  const run = student.limiter(n);
  const given = jobs.map(async (name) => {
    const job = () => {
      tell("begins", name);
      if (how[name] === "throws") throw new Error(`${name} failed`);
      if (how[name] === "value") return `value of ${name}`;
      return work(name);
    };
    try {
      tell("done", { name, value: await run(job) });
    } catch (error) {
      tell("done", { name, error: error?.message });
    }
  });
  await Promise.all(given);
};

// Reads behind the gate, and then somebody who only wants to know how large a folder is.
exports.hang = function hang(student, { n, pipes }, tell) {
  const run = student.limiter(n);
  for (const pipe of pipes)
    run(() => fs.promises.readFile(pipe)).then(
      () => tell("read", pipe),
      () => {},
    );
  fs.stat("/", () => tell("stat", true));
};
