require("./thrower.cjs")(null);
