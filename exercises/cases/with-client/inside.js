// Callers of a pool. The database and what a caller does with its client are the driver's.
let withClient;
exports.open = (student, { connect, P, patience }) => {
  withClient = student.createPool(connect, P, patience === undefined ? undefined : { patience });
};
exports.ask = (_student, { callers, work, throws = [] }, tell) => {
  for (const name of callers) {
    const fn = (client) => {
      tell("begins", { name, client: client?.id });
      if (throws.includes(name)) throw new Error(`${name} failed`);
      return work(name, client?.id);
    };
    Promise.resolve()
      .then(() => withClient(fn))
      .then(
        (value) => tell("settled", { name, value }),
        (error) => tell("settled", { name, error: String(error?.message) }),
      );
  }
};
