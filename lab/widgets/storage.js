// What this browser keeps, for the components and for the theme's scripts, whose own uses are led here when the site is built
// (lab/book/site/mended.py). A browser may refuse to keep anything: cookies are blocked, the page is in a frame of another site,
// there is no room. What it does not take lives as long as the page. A classic script, run before any other one.

(() => {
  function guarded(kind) {
    const held = new Map(); // what the browser did not take; null: what it did not take away
    const store = {
      getItem(key) {
        if (held.has(key)) return held.get(key);
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
        let kept = [];
        try {
          kept = Object.keys(globalThis[kind]);
        } catch {
          // None, then.
        }
        return [...new Set([...kept, ...held.keys()])].filter(
          (key) => key.startsWith(prefix) && store.getItem(key) !== null,
        );
      },
    };
    function change(key, text, use) {
      try {
        use();
        held.delete(key);
        return true;
      } catch {
        held.set(key, text);
        return false;
      }
    }
    // Another tab's value is newer than what is held here.
    globalThis.addEventListener?.("storage", ({ key }) => {
      if (key === null) held.clear();
      else held.delete(key);
    });
    return store;
  }

  globalThis.LabStorage ??= {
    local: guarded("localStorage"),
    session: guarded("sessionStorage"),
  };
})();
