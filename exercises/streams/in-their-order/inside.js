// Sources that note when they are asked and cancelled, in the process of the hand-in. Turns are counted, and no time.
const { setImmediate } = own;
const Stream = ReadableStream;
const Failure = Error;
const { getReader } = Stream.prototype;
const { read, cancel } = ReadableStreamDefaultReader.prototype;
const turns = async (n) => {
  for (let i = 0; i < n; i++) await new Promise((resolve) => setImmediate(resolve));
};

// lists: for each source its numbers; fails: [source, chunk] that throws instead; leaveAfter: chunks after which the reader cancels.
exports.play = async function play(
  student,
  { key, lists, fails = [-1, -1], leaveAfter = -1, word },
) {
  const log = { early: 0, most: 0, got: [], over: null, cancelled: lists.map(() => null) };
  const taken = lists.map(() => 0);
  const given = lists.map(() => 0);
  const streams = lists.map(
    (numbers, source) =>
      new Stream(
        {
          async pull(controller) {
            await turns(1);
            if (source === fails[0] && taken[source] === fails[1]) throw new Failure(word);
            if (taken[source] === numbers.length) return controller.close();
            const index = taken[source]++;
            controller.enqueue({ [key]: numbers[index], source, index });
          },
          cancel(reason) {
            log.cancelled[source] = String(reason?.message ?? reason);
          },
        },
        { highWaterMark: 0 },
      ),
  );
  const result = student.merged(streams);
  if (!(result instanceof Stream)) return { kind: typeof result };
  const reader = Reflect.apply(getReader, result, []);
  await turns(20);
  log.early = taken.reduce((sum, count) => sum + count, 0);
  const all = lists.reduce((sum, { length }) => sum + length, 0);
  for (let i = 0; i <= all && !log.over; i++) {
    if (i === leaveAfter) {
      Reflect.apply(cancel, reader, [new Failure(word)]).then(
        () => {},
        () => {},
      );
      await turns(12);
      break;
    }
    let answer = null;
    Reflect.apply(read, reader, []).then(
      (value) => {
        answer = value;
      },
      (error) => {
        answer = { error: String(error?.message ?? error) };
      },
    );
    for (let waits = 0; answer === null && waits < 500; waits++) await turns(1);
    await turns(6);
    log.most = Math.max(log.most, ...taken.map((count, source) => count - given[source]));
    if (answer === null) log.over = "waits";
    else if (answer.error !== undefined) log.over = answer.error;
    else if (answer.done) log.over = "done";
    else {
      const { source, index } = answer.value ?? {};
      given[source] += 1;
      log.got.push([answer.value?.[key], source, index]);
    }
  }
  return log;
};
