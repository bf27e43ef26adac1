const head = (e) => e.stack.split("\n")[0];
const a = new Error("a");
a.message = "b";
console.log(head(a), a.message);
class F extends Error {
  name = "Field";
}
console.log(head(new F("f")));
class G extends Error {
  constructor(m) {
    super(m);
    this.name = "G";
    this.message = "changed";
  }
}
console.log(head(new G("g")));
class H extends TypeError {
  constructor(m) {
    super(m);
    this.name = this.constructor.name;
    Error.captureStackTrace(this, this.constructor);
  }
}
console.log(head(new H("h")));
const c = new Error("c");
head(c);
c.name = "Late";
console.log(head(c));
const d = new Error("d");
d.name = "D";
console.log(d);
class I extends Error {
  get name() {
    return "I";
  }
}
console.log(head(new I("i")), new I("j"));
class J extends Error {
  constructor(m) {
    super(m);
    Object.defineProperty(this, "name", { value: "J" });
  }
}
console.log(head(new J("i")));
function K(m) {
  this.message = m;
  this.name = "K";
  this.stack = new Error().stack;
}
K.prototype = Object.create(Error.prototype);
K.prototype.constructor = K;
console.log(String(new K("k")), new K("k") instanceof Error);
class L extends Error {
  constructor(m, code) {
    super(m);
    this.code = code;
  }
}
L.prototype.name = "L";
console.log(head(new L("l", 5)), new L("l", 5));
console.log(new G("gg"));
process.on("uncaughtException", (error) => console.log(error.stack));
throw new G("last");
