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

  // A file's own code begins before its import() is over.
  const BODY_HOPS = settings.version >= "v23" ? 3 : 6;
  /** What `load` promises of a file; null for a module of Node's. `hops` waits, the first time that the file is imported. */
  machine.importFile = (name, hops, load, specifier) => {
    if (!name.startsWith("file:")) return null;
    host("importing");
    const begin = async () => {
      await hops(BODY_HOPS);
      return load(specifier);
    };
    return hops ? begin() : null;
  };

  /** Loads what is not CommonJS; true if it was not. */
  machine.loadOther = ({ kind, latin1 }, module) => {
    if (kind === "esm") refuse(`require() of a module (${module.filename.split("/").pop()})`);
    if (kind !== "json") return false;
    module.exports = jsonIn({ latin1 });
    return true;
  };

  /** A module that passes on what a file exports that is CommonJS; what goes before a module's own text. Data are refused. */
  machine.textOfOther = (kind, file, names, specifier) => {
    if (kind === "esm") return `const __meta = __metaOf(${JSON.stringify(file)});`;
    if (kind !== "cjs") return refuse(`modules that are not JavaScript (${specifier})`);
    const key = `__commonjs_${file}`;
    const value = () => machine.requireFile(file, null);
    Object.defineProperty(globalThis, key, { value, configurable: true });
    return [
      `const m = globalThis[${JSON.stringify(key)}]();`,
      "export default m;",
      ...(settings.version >= "v23" ? ["export { m as 'module.exports' };"] : []),
      ...names
        .map((word) => JSON.stringify(word))
        .map((word, at) => `const _${at} = m?.[${word}]; export { _${at} as ${word} };`),
    ].join("\n");
  };
};
