// A shelf, and then each of its books with a question of its own.
const http = require("node:http");
const database = require("./database.cjs");
const Pool = require("./pool.cjs");

database.listen(0, "127.0.0.1", () => {
  const pool = new Pool({ port: database.address().port, max: 30 });

  async function shelf() {
    const books = [];
    for (let id = 1; id <= 9; id += 1) {
      const [book] = await pool.query(`select id, title from books where id = ${id}`);
      books.push(book);
    }
    return books;
  }

  http
    .createServer(async (_req, res) => {
      res.end(JSON.stringify(await shelf()));
    })
    .listen(process.env.PORT || 18174, "127.0.0.1");
});
