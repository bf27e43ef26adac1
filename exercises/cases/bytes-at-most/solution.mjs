const most = 300000; // {{most}}

export function cache() {
  const values = new Map();
  let bytes = 0;
  const remove = (key) => {
    bytes -= values.get(key)?.length ?? 0;
    values.delete(key);
  };
  return {
    get bytes() {
      return bytes;
    },
    get(key) {
      const value = values.get(key);
      if (value === undefined) return undefined;
      values.delete(key);
      values.set(key, value);
      return value;
    },
    set(key, value) {
      remove(key);
      if (value.length > most) return;
      while (bytes + value.length > most) remove(values.keys().next().value);
      values.set(key, Uint8Array.from(value));
      bytes += value.length;
    },
  };
}
