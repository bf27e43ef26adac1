// Evaluated inside the engine of a program that is on a disk: the files beside the program, which it requires, imports or reads.
(machine) => {
  const { host, settings } = machine;
  const refuse = machine.refuseFor;

  /** Tells the host that something is not there, which may be on its disk. */
  machine.lack = (kind, place, name) => host("lack", JSON.stringify({ kind, place, name }));

  /** The path of the file that a relative name means; undefined for a name that is none. */
  machine.modulePath = (name, folder) => {
    if (!/^(\.{1,2}(\/|$)|\/)/.test(name)) return undefined;
    const place = machine.placeOf(name.startsWith("/") ? name : `${folder}/${name}`);
    const files = /(^|\/)\.{0,2}$/.test(name) ? [] : [place, `${place}.js`, `${place}.json`];
    const candidates = [...files, `${place}/index.js`, `${place}/index.json`];
    const file = candidates.find(machine.isModule);
    if (file) return file;
    for (const path of candidates) machine.lack("module", path, name);
    return machine.refuseModule(name);
  };

  /** Loads what is not CommonJS; true if it was not. */
  machine.loadOther = ({ kind, latin1 }, module) => {
    if (kind === "esm") refuse(`require() of a module (${module.filename.split("/").pop()})`);
    if (kind !== "json") return false;
    const bytes = Uint8Array.from(latin1, (letter) => letter.charCodeAt(0));
    module.exports = JSON.parse(machine.textOf(bytes));
    return true;
  };

  /** A module that passes on what a file exports that is CommonJS; what is neither is refused. */
  machine.textOfOther = (kind, file, names, specifier) => {
    if (kind !== "cjs") return refuse(`modules that are not JavaScript (${specifier})`);
    const key = `__commonjs_${file}`;
    const value = () => machine.requireFile(file, null);
    Object.defineProperty(globalThis, key, { value, configurable: true });
    return [
      `const m = globalThis[${JSON.stringify(key)}]();`,
      "export default m;",
      ...(settings.version >= "v23" ? ["export { m as 'module.exports' };"] : []),
      ...names.map(
        (word) => `const _${word} = m?.[${JSON.stringify(word)}]; export { _${word} as ${word} };`,
      ),
    ].join("\n");
  };
};
