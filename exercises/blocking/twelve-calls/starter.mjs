// "pool", "lane", "kernel" or "none"
export const where = {
  "fs.stat": "?",
  "fs.statSync": "?",
  "fs.watch": "?",
  "fs.promises.readFile": "?",
  "dns.lookup": "?",
  "dns.resolve4": "?",
  "http.get by name": "?",
  "http.get by address": "?",
  "crypto.pbkdf2": "?",
  "crypto.randomBytes": "?",
  "zlib.gzip": "?",
  "child_process.spawn": "?",
};
