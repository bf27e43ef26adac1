// healthy: two milliseconds of work for each page, rendered from data
import http from "node:http";

const rows = Array.from({ length: 2500 }, (_, id) => ({
  id,
  name: `name ${id}`,
  tags: ["a", "b"],
}));
const server = http.createServer((_request, response) => {
  response.setHeader("Content-Type", "application/json");
  response.end(JSON.stringify(rows.map((row) => ({ ...row, url: `/items/${row.id}` }))));
});
server.listen(Number(process.env.PORT), "127.0.0.1");
