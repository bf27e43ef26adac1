// A book from the database, over a pool of twenty connections.
const http = require("node:http");
const database = require("./database.cjs");
const Pool = require("./pool.cjs");

database.listen(0, "127.0.0.1", () => {
  const pool = new Pool({ port: database.address().port, max: 20 });
  http
    .createServer(async (_req, res) => {
      const rows = await pool.query("select id, title from books where id = 7");
      res.setHeader("content-type", "application/json");
      res.end(JSON.stringify(rows));
    })
    .listen(process.env.PORT || 18165, "127.0.0.1");
});
