// A router of our own with middleware and parameters, as Express has them.
const http = require("node:http");
const { EventEmitter } = require("node:events");

const settings = new EventEmitter();
let currency = "EUR";
settings.on("change", (next) => {
  currency = next;
});

const routes = [];
const get = (pattern, ...handlers) =>
  routes.push({ match: new RegExp(`^${pattern.replace(/:(\w+)/g, "(?<$1>[^/]+)")}$`), handlers });

const timed = (req, _res, next) => {
  req.began = process.hrtime.bigint();
  next();
};
const json = (_req, res, next) => {
  res.json = (data) => {
    res.setHeader("content-type", "application/json");
    res.end(JSON.stringify(data));
  };
  next();
};

get("/articles/:id", timed, json, (req, res) => {
  res.json({ id: Number(req.params.id), price: 12.5, currency });
});

http
  .createServer((req, res) => {
    const path = req.url.split("?", 1)[0];
    for (const { match, handlers } of routes) {
      const found = match.exec(path);
      if (!found) continue;
      req.params = found.groups;
      let at = 0;
      const next = () => handlers[at++]?.(req, res, next);
      return next();
    }
    res.writeHead(404, { "content-type": "text/plain" }).end("no such page");
  })
  .listen(process.env.PORT || 18145);
