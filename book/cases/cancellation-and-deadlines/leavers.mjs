// leavers.mjs LEAVES_MS: 40 clients ask for ten pages each, and every second one leaves after so long. How many of those who
// stay are answered, and how many pages were collected beyond theirs?
import { address, print } from "../../streams/shared/asking.mjs";
import { collected, visit } from "./_clients.mjs";

const leavesMs = Number(process.argv[2]);
const visits = Array.from({ length: 40 }, (_, i) =>
  visit(address(), { leavesMs: i % 2 ? leavesMs : 0 }),
);
const statuses = await Promise.all(visits);
const answered = statuses.filter((status) => status === "200").length;
const pages = await collected(address());
print({ stayed: 20, answered, "pages for nobody": pages - 10 * answered });
