export function keep(load, most) {
  const loading = new Map(); // promises by name
  const kept = new Map(); // Buffers by name; a Map remembers its order: the one asked for last comes last
  let bytes = 0;

  function store(name, file) {
    if (file.length > most) return;
    kept.set(name, file);
    bytes += file.length;
    for (const [oldest, { length }] of kept) {
      if (bytes <= most) break;
      kept.delete(oldest);
      bytes -= length;
    }
  }

  async function fresh(name) {
    try {
      const file = await load(name);
      store(name, file);
      return file;
    } finally {
      loading.delete(name);
    }
  }

  return async function get(name) {
    const file = kept.get(name);
    if (file) {
      kept.delete(name);
      kept.set(name, file);
      return Buffer.from(file);
    }
    if (!loading.has(name)) loading.set(name, fresh(name));
    return loading.get(name);
  };
}
