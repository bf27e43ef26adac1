// Gives jobs to `run`, one call after another, and tells what becomes of each. `work` is the driver: it says when a job is done.
const Range = RangeError;
const { setImmediate } = own;

const settled = (name, error) => ({
  name,
  message: `${error?.message}`,
  code: `${error?.code}`,
  range: error instanceof Range,
});

exports.give = async function give(student, { jobs, work }, tell) {
  for (const { name, bytes, throws } of jobs) {
    const job = () => {
      tell("begins", name);
      if (throws) throw new Error(`${name} failed`);
      return work(name);
    };
    (async () => student.run(bytes, job))().then(
      (value) => tell("settled", { name, value }),
      (error) => tell("settled", settled(name, error)),
    );
  }
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
};
