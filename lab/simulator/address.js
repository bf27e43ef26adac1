// Addresses are parsed by the JavaScript that runs the model, which has the standard's parser: what Node's own `URL` asks of C++.

const OMITTED = 2 ** 32 - 1;
const SCHEMES = ["http:", "", "https:", "ws:", "ftp:", "wss:", "file:"]; // by ada's number
const OTHER_SCHEME = 1;
const FIELDS = "protocol host hostname port username password pathname search hash href".split(" "); // by Node's number

/**
 * The JSON of [href, where its parts begin and end], or null for what is no URL, for that of {input, base}: an address, or of
 * {href, action, value}: one of which a part is set.
 */
export function addressIn(request) {
  const { input, base, href, action, value } = JSON.parse(request);
  try {
    const url = new URL(href ?? input, base ?? undefined);
    if (href !== undefined) url[FIELDS[action]] = value;
    return JSON.stringify([url.href, placesIn(url)]);
  } catch {
    return "null";
  }
}

function placesIn({ href, protocol, username, password, hostname, port, host }) {
  const start = protocol.length;
  const hasHost = href.startsWith("//", start);
  const userEnd = start + (hasHost ? 2 + username.length : 0);
  const hostStart = userEnd + (password ? 1 + password.length : 0);
  const hostEnd = hostStart + (username || password ? 1 : 0) + hostname.length;
  const hash = href.indexOf("#");
  const beforeHash = hash < 0 ? href : href.slice(0, hash);
  const search = beforeHash.indexOf("?");
  return [
    start,
    userEnd,
    hostStart,
    hostEnd,
    port ? Number(port) : OMITTED,
    hostEnd + host.length - hostname.length,
    search < 0 ? OMITTED : search,
    hash < 0 ? OMITTED : hash,
    SCHEMES.includes(protocol) ? SCHEMES.indexOf(protocol) : OTHER_SCHEME,
  ];
}
