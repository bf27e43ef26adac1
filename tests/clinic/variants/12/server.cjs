// A site that packs its start page with brotli at the best quality, for every visitor again.
"use strict";
const http = require("node:http");
const zlib = require("node:zlib");

const page = Array.from({ length: 800 }, (_, n) => `<li id="row${n}">${n ** 3}</li>`).join("\n");
const options = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 11 } };

http
  .createServer((_req, res) => {
    zlib.brotliCompress(page, options, (error, packed) => {
      if (error) return res.writeHead(500).end();
      res.writeHead(200, { "content-encoding": "br", "content-type": "text/html" });
      res.end(packed);
    });
  })
  .listen(18112, "127.0.0.1");
