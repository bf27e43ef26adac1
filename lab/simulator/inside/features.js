// Evaluated inside the engine for a program that reads process.features: what it has on a Node of this version.
(version) => {
  const major = Number.parseInt(version.slice(1), 10);
  const [first, last] = [
    "inspector debug uv ipv6 tls_alpn tls_sni tls_ocsp tls openssl_is_boringssl cached_builtins require_module",
    major >= 26 ? "dtls quic" : major >= 24 ? "quic" : "",
  ].map((names) => names.split(" ").filter(Boolean));
  const features = {};
  const LOOKED_UP = /^(cached_builtins|require_module|dtls|quic|typescript)$/;
  for (const name of [...first, ...last, "typescript"]) {
    const isOn = !/^(debug|openssl_is_boringssl|dtls|quic)$/.test(name);
    const value = name === "typescript" ? "strip" : isOn;
    const property = LOOKED_UP.test(name) ? { get: () => value } : { value, writable: true };
    Object.defineProperty(features, name, { ...property, enumerable: true, configurable: true });
  }
  return features;
};
