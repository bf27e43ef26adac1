import * as named from "./names.cjs";
import * as main from "./package/deep/begin.js";
import * as passed from "./passes-on.cjs";

for (const space of [named, passed, main])
  console.log(
    Object.keys(space)
      .filter((name) => !/^(default|module.exports)$/.test(name))
      .join(),
  );
