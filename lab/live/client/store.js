// What was edited and what came of it, kept in this browser until the reader discards it.

const NAME = "lab-live";
const STORE = "cells";

const asked = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

let opened;
function open() {
  opened ??= (async () => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    return asked(request);
  })();
  return opened;
}

/** A browser may refuse: a private window, no room. Then results last as long as the page. */
async function store(mode, use) {
  try {
    const database = await open();
    return await asked(use(database.transaction(STORE, mode).objectStore(STORE)));
  } catch {
    return undefined;
  }
}

const whole = (page) => IDBKeyRange.bound([page, 0], [page, Number.MAX_SAFE_INTEGER]);

export const all = async (page) =>
  (await store("readonly", (cells) => cells.getAll(whole(page)))) ?? [];
export const keep = (page, index, cell) =>
  store("readwrite", (cells) => cells.put({ ...cell, index }, [page, index]));
export const forget = (page, index) => store("readwrite", (cells) => cells.delete([page, index]));
export const forgetAll = (page) => store("readwrite", (cells) => cells.delete(whole(page)));

/** What this tab knows until it is closed. */
export const tab = {
  read(key) {
    try {
      return JSON.parse(sessionStorage.getItem(key));
    } catch {
      return null;
    }
  },
  write(key, value) {
    try {
      sessionStorage.setItem(key, JSON.stringify(value));
    } catch {
      // As above.
    }
  },
};
