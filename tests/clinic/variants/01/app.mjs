// A sign-in service: a middleware checks each password with pbkdf2Sync before the router is asked.
import { pbkdf2Sync, randomBytes, timingSafeEqual } from "node:crypto";
import express from "express";

const salt = randomBytes(16);
const derive = (password) => pbkdf2Sync(password, salt, 60_000, 32, "sha256");
const users = new Map([["ann", derive("correct horse")]]);

const app = express();
app.disable("x-powered-by");
app.use((req, res, next) => {
  const { user = "ann", password = "correct horse" } = req.query;
  const known = users.get(user);
  if (!known || !timingSafeEqual(known, derive(password))) return res.sendStatus(401);
  req.user = user;
  next();
});
app.get("/login", (req, res) => res.json({ hello: req.user }));
app.listen(Number(process.env.PORT ?? 18101), "127.0.0.1");
