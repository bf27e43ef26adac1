const most = 1000; // {{most}}
const longest = 4; // {{waiting}}

const waiting = [];
let used = 0;

function next() {
  while (waiting.length > 0 && used + waiting[0].bytes <= most) {
    const { bytes, job, resolve, reject } = waiting.shift();
    used += bytes;
    const done = () => {
      used -= bytes;
      next();
    };
    const result = (async () => job())();
    result.then(done, done);
    result.then(resolve, reject);
  }
}

export function run(bytes, job) {
  return new Promise((resolve, reject) => {
    if (bytes > most) return reject(new RangeError(`${bytes} bytes are more than ${most}`));
    waiting.push({ bytes, job, resolve, reject });
    next();
    if (waiting.length > longest) {
      waiting.pop();
      reject(Object.assign(new Error("too many jobs wait"), { code: "EBUSY" }));
    }
  });
}
