// The search for all orders of a program that is on a disk, with the files that the program asks for.
import { giveFiles } from "./files.mjs";
import { explore, NotModelledError } from "./index.js";

const LEFT_OUT =
  "The program also prints to the standard error; the orders have what goes to its standard output.";

/**
 * All orders of a program, which gets what it asks for of the files that there are. `node` is the file of the Node that the
 * machine is a model of. Throws NotModelledError.
 */
export function explored(machine, node, program, options) {
  let first;
  let isLacking; // a file that may not be there
  machine.lacking.clear(); // what the program before asked for, if a file of that program was refused
  do {
    first = attempt(() => machine.run(program));
    isLacking = machine.lacking.size > 0;
  } while (giveFiles(machine, node, program));
  for (let cache = { firstRun: first.result }; ; cache = {}) {
    // What ends the first run ends the search, which begins with that run: an endless one takes 2 s. The search says
    // again which files are lacking.
    const { result, error } =
      first.error && !isLacking
        ? first
        : attempt(() => explore(machine, program, { ...options, cache }));
    const absent = [...machine.lacking]
      .map((entry) => JSON.parse(entry))
      .findLast(
        ({ kind, name }) => kind === "module" && error?.message.includes(`packages (${name})`),
      );
    if (giveFiles(machine, node, program)) continue; // a rarer order asks for more
    if (absent)
      throw new NotModelledError(`${program.name} needs ${absent.name}, which does not exist.`);
    if (error) throw error;
    const isLeftOut = first.result?.chunks.some(
      ([fd, , , , origin]) => fd === 2 && origin !== "report",
    );
    return {
      ...result,
      notes: [...result.notes, ...(options.outOnly && isLeftOut ? [LEFT_OUT] : [])],
    };
  }
}

function attempt(action) {
  try {
    return { result: action() };
  } catch (error) {
    if (error instanceof NotModelledError) return { error };
    throw error;
  }
}
