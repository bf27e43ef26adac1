// A report of sales: each request serialises the whole table and packs it with gzipSync.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";

interface Sale {
  id: number;
  shop: string;
  cents: number;
}

class Reports {
  private readonly sales: Sale[] = Array.from({ length: 9_000 }, (_, id) => ({
    id,
    shop: `shop-${id % 97}`,
    cents: (id * 7919) % 100_000,
  }));

  answer(_request: IncomingMessage, response: ServerResponse): void {
    const packed = gzipSync(JSON.stringify(this.sales));
    response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
    response.end(packed);
  }
}

const reports = new Reports();
createServer((request, response) => reports.answer(request, response)).listen(
  Number(process.env.PORT ?? 18104),
  "127.0.0.1",
);
