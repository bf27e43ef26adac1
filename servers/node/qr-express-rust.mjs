// The published QR service after its change: an addon in Rust draws each code on a new thread of the operating system.
// The book uses it as the second half of the source's pair; its picture is smaller, as that of the source was.
import { createRequire } from "node:module";
import express from "express";

const { PORT = "0" } = process.env;

// Built from servers/rust/qr by `make addons`.
const addon = createRequire(import.meta.url)("../rust/qr/target/qr.node");

const app = express();
app.get("/", async (request, response) => {
  response.json({ imageString: await addon.published(request.query.text ?? "QR TEST") });
});
const server = app.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
