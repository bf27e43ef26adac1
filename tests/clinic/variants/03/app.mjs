// A form checker: a regular expression with nested quantifiers looks at what the query carries.
import express from "express";

const handle = /^([a-z0-9]+[._-]?)+@example\.org$/;

const router = express.Router();
router.get("/:field", (req, res) => {
  const value = String(req.query.value ?? "");
  res.json({ field: req.params.field, valid: handle.test(value) });
});

const app = express();
app.use("/check", router);
app.listen(process.env.PORT || 18103, "127.0.0.1", () => {
  console.log("forms are checked here");
});
