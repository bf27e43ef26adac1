// Evaluated inside the engine of a guest: a program that talks with the host, and goes on from call to call. Its channel has
// `send(text)`, `hear(listener)` and `unref()`; until `unref` is called it keeps the loop alive.
(machine) => {
  const TURN_MS = 200; // how long it may compute, in rounds of its loop, before the host goes on
  let outbox = [];
  let output = [];
  let messages = [];
  let listener = null;
  const port = {
    number: -1,
    take() {
      const texts = messages;
      messages = [];
      for (const text of texts) machine.makeCallback(() => listener(text));
    },
  };
  machine.isGuest = true;
  machine.handles.add(port);
  const channel = {
    send: (text) => void outbox.push(text),
    hear: (callback) => {
      listener = callback;
    },
    unref: () => void machine.handles.delete(port),
  };
  const { print } = machine;
  machine.print = (descriptor, words, from) => {
    print(descriptor, words, from);
    output.push([descriptor, words]);
  };

  let rounds = null;
  let code = null;
  const hasHad = (ms) => machine.host("had", String(ms)) === 1;
  const goOn = () => {
    const { done, value } = rounds.next();
    if (done) ({ code } = value);
  };
  const begin = ({ plan, config }, main, ...functions) => {
    machine.prepare("/check.cjs", plan);
    machine.isWatched = plan.isWatched;
    machine.hasStores = plan.hasStores;
    const require = machine.own.module.createRequire("/check.cjs");
    rounds = machine.rounds(() => main(require, config, channel, ...functions), plan);
  };
  const advance = (given) => {
    const [limit, texts, at] = JSON.parse(given);
    machine.comesTo(at);
    if (texts.length) {
      messages.push(...texts);
      if (!machine.posts.includes(port)) machine.posts.push(port);
    }
    let isNew = !rounds.begun;
    rounds.begun = true;
    do {
      if (!isNew && machine.wakesAt() > limit) break;
      isNew = false;
      goOn();
    } while (code === null && outbox.length === 0 && !hasHad(TURN_MS));
    const wakesAt = code === null ? machine.wakesAt() : Number.POSITIVE_INFINITY;
    return JSON.stringify({ ...takeNews(), code, time: machine.timeUs() / 1000, wakesAt });
  };
  /** What it has sent and printed since the host last heard of it. */
  const takeNews = () => {
    const news = { sent: outbox, printed: output };
    outbox = [];
    output = [];
    return news;
  };
  return [begin, advance, () => JSON.stringify(takeNews())];
};
