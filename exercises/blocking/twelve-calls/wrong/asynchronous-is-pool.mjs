// "pool", "lane", "kernel" or "none"
export const where = {
  "fs.stat": "pool",
  "fs.statSync": "none",
  "fs.watch": "pool",
  "fs.promises.readFile": "pool",
  "dns.lookup": "pool",
  "dns.resolve4": "pool",
  "http.get by name": "pool",
  "http.get by address": "pool",
  "crypto.pbkdf2": "pool",
  "crypto.randomBytes": "none",
  "zlib.gzip": "pool",
  "child_process.spawn": "pool",
};
