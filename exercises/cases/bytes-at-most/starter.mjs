const most = 300000; // {{most}}

export function cache() {
  const values = new Map();
  return {
    bytes: 0,
    get: (key) => values.get(key),
    set(key, value) {
      values.set(key, value);
    },
  };
}
