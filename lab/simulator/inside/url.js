// Evaluated inside the engine for a program that names `url`, `http`, URL or URLSearchParams: Node's own, of which the
// host parses the addresses.
(machine) => {
  const { host, bindings, load } = machine;
  const { codes } = load("internal/errors");
  const urlComponents = new Uint32Array(9);
  const parse = (request) => {
    const answer = JSON.parse(host("address", JSON.stringify(request)));
    if (!answer) return undefined;
    const [href, places] = answer;
    urlComponents.set(places);
    return href;
  };
  const inDomain = (domain) => {
    const href = parse({ input: `ws://${domain}` });
    return href ? href.slice(5, urlComponents[3]) : "";
  };
  const ESCAPES = {
    "%": "%25",
    "\\": "%5C",
    "\n": "%0A",
    "\r": "%0D",
    "\t": "%09",
    "?": "%3F",
    "#": "%23",
  };
  bindings.url = {
    urlComponents,
    parse(input, base, throws) {
      const href = parse({ input, base });
      if (href === undefined && throws) throw new codes.ERR_INVALID_URL(input, base);
      return href;
    },
    canParse: (input, base) => parse({ input, base }) !== undefined,
    update: (href, action, value) => parse({ href, action, value }) ?? false,
    pathToFileURL: (path) =>
      parse({ input: `file://${path.replace(/[%\\\n\r\t?#]/g, (letter) => ESCAPES[letter])}` }),
    getOrigin: (input) => /^[^/]+\/\/[^/]+/.exec(parse({ input }))?.[0] ?? "null",
    domainToASCII: inDomain,
    domainToUnicode: inDomain,
    format(href, hasHash, _unicode, hasSearch, hasAuth) {
      const url = new machine.urls.URL(href);
      if (!hasHash) url.hash = "";
      if (!hasSearch) url.search = "";
      if (!hasAuth) url.username = url.password = "";
      return url.href;
    },
  };
  bindings.url_pattern = { URLPattern: class URLPattern {} };
  bindings.encoding_binding = {
    ...bindings.encoding_binding,
    toASCII: inDomain,
    toUnicode: inDomain,
  };
  machine.urls = machine.loadOwn("internal/url");
  for (const name of ["URL", "URLSearchParams"])
    Object.defineProperty(globalThis, name, {
      value: machine.urls[name],
      writable: true,
      configurable: true,
    });
};
