// What this browser stores for the components and for the theme's scripts (lab/book/site/mended.py makes the theme use this
// file). A browser may refuse to store anything, because cookies are blocked, the page is in a frame of another site, or the
// storage is full. A refused entry lives as long as the page. This classic script runs before all others.

(() => {
  function guarded(kind) {
    const inMemory = new Map(); // entries that the browser did not store; null: it did not remove the entry
    const store = {
      getItem(key) {
        if (inMemory.has(key)) return inMemory.get(key);
        try {
          return globalThis[kind].getItem(key);
        } catch {
          return null;
        }
      },
      /** Returns whether the browser keeps it. */
      setItem: (key, text) => change(key, String(text), () => globalThis[kind].setItem(key, text)),
      removeItem: (key) => change(key, null, () => globalThis[kind].removeItem(key)),
      keys(prefix) {
        let browserKeys = [];
        try {
          browserKeys = Object.keys(globalThis[kind]);
        } catch {
          // A browser without storage has no keys.
        }
        return [...new Set([...browserKeys, ...inMemory.keys()])].filter(
          (key) => key.startsWith(prefix) && store.getItem(key) !== null,
        );
      },
    };
    function change(key, text, use) {
      try {
        use();
        inMemory.delete(key);
        return true;
      } catch {
        inMemory.set(key, text);
        return false;
      }
    }
    // The value of another tab is newer than the one in memory.
    globalThis.addEventListener?.("storage", ({ key }) => {
      if (key === null) inMemory.clear();
      else inMemory.delete(key);
    });
    return store;
  }

  globalThis.LabStorage ??= {
    local: guarded("localStorage"),
    session: guarded("sessionStorage"),
  };
})();
