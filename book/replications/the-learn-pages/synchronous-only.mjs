// Synchronous functions of modules that do input and output, without a twin that takes a callback.
const modules = ["fs", "child_process", "dns", "zlib", "crypto", "sqlite"];
for (const name of modules) {
  const module = await import(`node:${name}`).catch(() => undefined);
  if (!module) continue;
  const isFunction = (n) => typeof module.default[n] === "function";
  const synchronous = Object.keys(module.default).filter(
    (n) => n.endsWith("Sync") && isFunction(n),
  );
  const alone = synchronous.filter((n) => !isFunction(n.slice(0, -"Sync".length)));
  const without = alone.join(", ") || "none";
  console.log(
    JSON.stringify({
      module: name,
      synchronous: synchronous.length,
      "of these without a callback": without,
      alone: alone.length,
    }),
  );
}
