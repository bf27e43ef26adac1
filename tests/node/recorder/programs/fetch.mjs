import { once } from "node:events";
import http from "node:http";

const s = http.createServer((_q, r) => r.end("x")).listen(0, "127.0.0.1");
await once(s, "listening");
console.log(await (await fetch(`http://127.0.0.1:${s.address().port}`)).text());
s.close();
