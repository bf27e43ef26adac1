"use strict";
const http = require("node:http");
const path = require("node:path");
const { fork } = require("node:child_process");
const Pool = require("./pool.cjs");

const database = fork(path.join(__dirname, "database.cjs"));

database.once("message", (port) => {
  const pool = new Pool({ port, max: Number(process.env.DB_POOL || 2) });

  const server = http.createServer(async (req, res) => {
    const match = /^\/books\/(\d+)$/.exec(req.url);
    if (!match) {
      res.writeHead(404);
      return res.end();
    }
    try {
      const book = await pool.query(`SELECT * FROM books WHERE id = ${match[1]}`);
      res.writeHead(200, { "Content-Type": "application/json" });
      res.end(JSON.stringify(book));
    } catch (error) {
      res.writeHead(500);
      res.end(`database: ${error.message}`);
    }
  });

  server.listen(process.env.PORT, "127.0.0.1");
});

process.on("SIGTERM", () => {
  database.kill();
  process.exit(0);
});
