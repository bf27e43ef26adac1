import { Worker } from "node:worker_threads";

export function createPool(file, size) {
  const waiting = [];
  const jobs = new Map(); // of each worker, the job that it has, or undefined
  let closed = false;

  function start() {
    const worker = new Worker(file);
    jobs.set(worker, undefined);
    return worker;
  }

  function lose(worker, error) {
    const job = jobs.get(worker);
    if (!jobs.delete(worker)) return;
    job?.reject(error);
    next();
  }

  const free = () => [...jobs.keys()].find((worker) => !jobs.get(worker));

  function next() {
    while (waiting.length > 0) {
      const worker = free() ?? (jobs.size < size ? start() : undefined);
      if (!worker) return;
      const job = waiting.shift();
      jobs.set(worker, job);
      worker.once("message", (value) => {
        jobs.set(worker, undefined);
        job.resolve(value);
        next();
      });
      worker.once("error", (error) => lose(worker, error));
      worker.once("exit", (code) =>
        lose(worker, new Error(`a worker ended with exit code ${code}`)),
      );
      try {
        worker.postMessage(job.input);
      } catch (error) {
        jobs.set(worker, undefined); // this input cannot be sent
        job.reject(error);
      }
    }
  }

  function abort(job, reason) {
    const at = waiting.indexOf(job);
    if (at >= 0) waiting.splice(at, 1);
    for (const [worker, its] of jobs) {
      if (its !== job) continue;
      jobs.delete(worker); // it is busy until it has ended: nobody waits for that
      worker.terminate();
    }
    job.reject(reason);
    next();
  }

  return {
    run(input, { signal } = {}) {
      if (closed) return Promise.reject(new Error("the pool is closed"));
      if (signal?.aborted) return Promise.reject(signal.reason);
      return new Promise((resolve, reject) => {
        const aborted = () => abort(job, signal.reason);
        const settled = (how) => (value) => {
          signal?.removeEventListener("abort", aborted);
          how(value);
        };
        const job = { input, resolve: settled(resolve), reject: settled(reject) };
        signal?.addEventListener("abort", aborted);
        waiting.push(job);
        next();
      });
    },

    async close() {
      closed = true;
      const left = [...waiting.splice(0), ...jobs.values()];
      for (const job of left) job?.reject(new Error("the pool was closed"));
      await Promise.all([...jobs.keys()].map((worker) => worker.terminate()));
    },
  };
}
