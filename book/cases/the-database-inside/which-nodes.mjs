// Does this Node bring SQLite along, which one, and what does it say about it when it is loaded?
import { print } from "../../streams/shared/asking.mjs";

let says = "nothing";
process.removeAllListeners("warning").on("warning", ({ name }) => {
  says = name;
});
let sqlite = "none";
try {
  const { DatabaseSync } = process.getBuiltinModule?.("node:sqlite") ?? {};
  if (DatabaseSync) {
    const db = new DatabaseSync(":memory:");
    ({ version: sqlite } = db.prepare("SELECT sqlite_version() AS version").get());
  }
} catch (error) {
  says = error.code;
}
setImmediate(() => print({ SQLite: sqlite, "warns with": says }));
