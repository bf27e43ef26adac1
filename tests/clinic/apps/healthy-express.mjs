// healthy: an Express app that prints one line for each request
import express from "express";

const app = express();
app.use((request, _response, next) => {
  console.log(`${request.method} ${request.url}`);
  next();
});
app.get("/", (_request, response) =>
  response.json({ items: Array.from({ length: 50 }, (_, i) => i) }),
);
app.listen(Number(process.env.PORT), "127.0.0.1");
