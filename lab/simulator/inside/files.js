// Evaluated inside the engine of a program that is on a disk: the files beside the program, which it requires, imports or reads.
(machine) => {
  const { host, settings } = machine;
  const refuse = machine.refuseFor;

  /** Tells the host that something is not there, which may be on its disk. */
  machine.lack = (kind, place, name) => host("lack", JSON.stringify({ kind, place, name }));

  const jsonIn = ({ latin1 }) =>
    JSON.parse(machine.textOf(Uint8Array.from(latin1, (letter) => letter.charCodeAt(0))));

  /** What the package.json of a folder names as its main file; undefined if it names none. */
  const mainOf = (folder, name) => {
    const file = `${folder}/package.json`;
    machine.lack("module", file, name);
    const { main } = machine.isModule(file) ? jsonIn(machine.fileAt(file)) : {};
    return typeof main === "string" ? machine.placeOf(`${folder}/${main}`) : undefined;
  };

  /** The path of the file that a relative name means; undefined for a name that is none. */
  machine.modulePath = (name, folder) => {
    if (!/^(\.{1,2}(\/|$)|\/)/.test(name)) return undefined;
    const place = machine.placeOf(name.startsWith("/") ? name : `${folder}/${name}`);
    const withEndings = (path) => [path, `${path}.js`, `${path}.json`];
    const inFolder = (path) => [`${path}/index.js`, `${path}/index.json`];
    const files = /(^|\/)\.{0,2}$/.test(name) ? [] : withEndings(place);
    const file = files.find(machine.isModule);
    if (file) return file;
    const main = mainOf(place, name);
    const candidates = [...files, ...(main ? [...withEndings(main), ...inFolder(main)] : [])];
    candidates.push(...inFolder(place));
    for (const path of candidates) {
      if (machine.isModule(path)) return path;
      machine.lack("module", path, name); // the host may have it, and then it goes before the others
    }
    return machine.refuseModule(name);
  };

  const decode = (text) => {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  };
  /** The name that a file has for moduleText which `file` imports; null for a module of Node's. */
  machine.nameIn = (specifier, file) => {
    if (!/^(\.{1,2}\/|\/|file:)/.test(specifier)) return null;
    const path = decode(specifier);
    if (path.startsWith("file:")) return path;
    const folder = file.slice(0, file.lastIndexOf("/"));
    return `file://${machine.placeOf(path.startsWith("/") ? path : `${folder}/${path}`)}`;
  };

  // A file's own code begins before its `import()` is over, and later where the file imports others: by its longest chain
  // of imports, in which Node 22 also counts which files are known already. A chain ends where it comes to itself.
  const isOld = settings.version < "v23";
  const namesIn = (name) => {
    const file = name?.slice("file://".length);
    const { imports = [] } = machine.fileAt(file) ?? {};
    return imports.map((specifier) => machine.nameIn(specifier, file));
  };
  const hopsBehind = (name, chain) => {
    const names = namesIn(name);
    if (!names.length) return 0;
    const others = names.filter((one) => !chain.includes(one));
    const isKnown = machine.isImported(name);
    if (!others.length) return isOld && !isKnown ? 1 : 0;
    return (isOld && isKnown ? 3 : 4) + mostHops(others, chain);
  };
  const mostHops = (names, chain) =>
    Math.max(...names.map((name) => hopsBehind(name, [...chain, name])));
  /** How many more microtasks the first `import()` of a file takes, because the file imports others. */
  machine.hopsOfImports = (name) => {
    const names = namesIn(name);
    if (!names.length) return 0;
    return isOld ? 8 + mostHops(names, [name]) : 2 + mostHops(names, [name]) / 2;
  };

  const HOPS_AFTER = 1; // of the file's own code, also where that awaits
  const OF_JSON = "#json"; // what complete.js adds to a name that is imported `with { type: "json" }`
  const imports = new Map(); // by the names of the files that are imported by `import()`
  /** What `import()` promises of a file; null for a module of Node's. `hops` waits, and is null for a file that is imported already. */
  machine.importFile = (name, hops, importIt, specifier, options) => {
    if (!name.startsWith("file:")) return null;
    const isJson = options?.with?.type === "json";
    const load = () => importIt(isJson ? `${specifier}${OF_JSON}` : specifier);
    const begin = async () => {
      await hops(machine.bodyHops);
      for (let more = machine.hopsOfImports(name); more > 0; more--) await undefined;
      try {
        return await load();
      } catch (error) {
        machine.forgive(error);
        throw error;
      } finally {
        await hops(HOPS_AFTER);
      }
    };
    if (!imports.has(name)) imports.set(name, hops ? begin() : load());
    return imports.get(name);
  };

  /** Loads what is not CommonJS; true if it was not. */
  machine.loadOther = ({ kind, latin1 }, module) => {
    if (kind === "esm") refuse(`require() of a module (${module.filename.split("/").pop()})`);
    if (kind !== "json") return false;
    module.exports = jsonIn({ latin1 });
    return true;
  };

  /** A module that passes on what a file exports that is CommonJS or JSON; what goes before a module's own text. */
  machine.textOfOther = (kind, file, names, specifier) => {
    if (kind === "esm") return `const __meta = __metaOf(${JSON.stringify(file)});`;
    const isJson = specifier.endsWith(OF_JSON);
    if (kind !== (isJson ? "json" : "cjs"))
      return refuse(`modules that are not JavaScript (${specifier.replace(OF_JSON, "")})`);
    const key = `__commonjs_${file}`;
    const value = () => machine.requireFile(file, null);
    Object.defineProperty(globalThis, key, { value, configurable: true });
    return [
      `const m = globalThis[${JSON.stringify(key)}]();`,
      "export default m;",
      ...(settings.version >= "v23" && !isJson ? ["export { m as 'module.exports' };"] : []),
      ...names
        .map((word) => JSON.stringify(word))
        .map((word, at) => `const _${at} = m?.[${word}]; export { _${at} as ${word} };`),
    ].join("\n");
  };
};
