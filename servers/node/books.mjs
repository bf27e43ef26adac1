// The rows of a table as JSON, through Express and pg; CONNECTION is reused or per-request.
// The book uses it to ask what a connection costs, and how many queries wait at once: POOL.
import express from "express";
import pg from "pg";

const { PORT = "0", DATABASE_URL, CONNECTION, POOL, QUERY_MS } = process.env;
const books = "SELECT books.* FROM books";
// A slow query of a known length: the database sleeps first.
const sql = QUERY_MS === "0" ? books : `${books}, pg_sleep(${QUERY_MS} / 1000.0)`;

const pool = new pg.Pool({ connectionString: DATABASE_URL, max: Number(POOL) });
const reused = () => pool.query(sql);

const perRequest = async () => {
  const client = new pg.Client({ connectionString: DATABASE_URL });
  await client.connect();
  try {
    return await client.query(sql);
  } finally {
    await client.end();
  }
};

const query = { reused, "per-request": perRequest }[CONNECTION];
if (!query) throw new Error(`CONNECTION=${CONNECTION}: reused or per-request`);

const app = express();
app.disable("x-powered-by");
app.disable("etag");
app.get("/", async (_request, response) => {
  const { rows } = await query();
  response.json({ from: "books", data: rows });
});

const server = app.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
