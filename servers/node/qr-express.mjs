// The published QR service, a PNG in JSON through Express and `qrcode`; HOW says where it draws: main, or a pool of THREADS.
// The book uses it as the first half of the source's pair, and for the Workers that the source did not try.
import express from "express";
import { png } from "./qr-png.mjs";

const { PORT = "0", HOW, THREADS } = process.env;

const inPool = async (threads) => {
  const { Piscina } = await import("piscina");
  const filename = new URL("qr-png.mjs", import.meta.url).href;
  const pool = new Piscina({ filename, minThreads: threads, maxThreads: threads });
  return (text) => pool.run(text, { name: "png" });
};

const ways = { main: () => png, pool: () => inPool(Number(THREADS)) };
if (!ways[HOW]) throw new Error(`HOW=${HOW}: main or pool`);
const draw = await ways[HOW]();

const app = express();
app.get("/", async (request, response) => {
  response.json({ result: await draw(request.query.text ?? "QR TEST") });
});
const server = app.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
