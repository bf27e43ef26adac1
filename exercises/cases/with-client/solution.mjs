export function createPool(connect, P, { patience = Number.POSITIVE_INFINITY } = {}) {
  const free = [];
  const waiting = [];
  let open = 0; // connections, with those that are being opened

  async function opened() {
    open++;
    try {
      return await connect();
    } catch (error) {
      open--;
      const next = waiting.shift(); // this place is theirs to try
      if (next) next.get(opened());
      throw error;
    }
  }

  function acquire() {
    if (free.length > 0) return free.pop();
    if (open < P) return opened();
    return new Promise((resolve, reject) => {
      let timer;
      const one = {
        get(client) {
          clearTimeout(timer);
          resolve(client);
        },
      };
      waiting.push(one);
      if (patience === Number.POSITIVE_INFINITY) return;
      timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(one), 1);
        reject(new Error(`no client was free for ${patience} ms`));
      }, patience);
    });
  }

  function release(client) {
    const next = waiting.shift();
    if (next) next.get(client);
    else free.push(client);
  }

  return async function withClient(fn) {
    const client = await acquire();
    try {
      return await fn(client);
    } finally {
      release(client);
    }
  };
}
