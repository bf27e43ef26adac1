// A router of our own with middleware; each request wants to hear of a change of the settings, and goes on hearing.
const http = require("node:http");
const { EventEmitter } = require("node:events");

const settings = new EventEmitter();
settings.setMaxListeners(0);

const routes = [];
const get = (pattern, ...handlers) =>
  routes.push({ match: new RegExp(`^${pattern.replace(/:(\w+)/g, "(?<$1>[^/]+)")}$`), handlers });

const withSettings = (req, _res, next) => {
  req.settings = { currency: "EUR" };
  settings.on("change", (changed) => {
    req.settings = changed;
  });
  next();
};

get("/articles/:id", withSettings, (req, res) => {
  res.setHeader("content-type", "application/json");
  res.end(JSON.stringify({ id: Number(req.params.id), price: 12.5, ...req.settings }));
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
  .listen(process.env.PORT || 18146);
