// "pool", "lane", "kernel" or "none"
export const where = {
  "fs.stat": "pool",
  "fs.statSync": "none",
  "fs.watch": "kernel",
  "fs.promises.readFile": "pool",
  "dns.lookup": "lane",
  "dns.resolve4": "pool",
  "http.get by name": "lane",
  "http.get by address": "kernel",
  "crypto.pbkdf2": "pool",
  "crypto.randomBytes": "none",
  "zlib.gzip": "pool",
  "child_process.spawn": "kernel",
};
