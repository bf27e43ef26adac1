// The certificates that book/replications/one-process-or-several/with-tls.mjs and book/streams/one-connection-many-requests/handshakes.mjs
// make for themselves.
import assert from "node:assert/strict";
import { createPrivateKey, X509Certificate } from "node:crypto";
import { once } from "node:events";
import { describe, test } from "node:test";
import { connect, createServer } from "node:tls";
import { certificate as onP256 } from "../../book/replications/one-process-or-several/_certificate.mjs";
import { certificate as ofKind } from "../../book/streams/one-connection-many-requests/_certificates.mjs";

const makers = {
  "one on P-256": { make: onP256, key: "ec prime256v1" },
  "P-256": { make: () => ofKind("P-256"), key: "ec prime256v1" },
  "RSA-2048": { make: () => ofKind("RSA-2048"), key: "rsa 2048" },
  "RSA-4096": { make: () => ofKind("RSA-4096"), key: "rsa 4096" },
};

for (const [name, { make, key }] of Object.entries(makers))
  describe(name, () => {
    const own = make();
    const read = new X509Certificate(own.cert);

    test("it is for this machine alone, signed by its own key, and for a day", () => {
      assert.equal(read.checkIP("127.0.0.1"), "127.0.0.1");
      assert.equal(read.checkIP("192.0.2.1"), undefined);
      assert.equal(read.checkHost("localhost"), undefined);
      assert.ok(read.verify(read.publicKey));
      assert.ok(read.checkPrivateKey(createPrivateKey(own.key)));
      const hours = (Date.parse(read.validTo) - Date.parse(read.validFrom)) / 3_600_000;
      assert.equal(Math.round(hours), 25); // one of them has passed: clocks differ
      assert.ok(Date.parse(read.validFrom) < Date.now());
    });

    test("its key is of the kind that was asked for", () => {
      const { asymmetricKeyType, asymmetricKeyDetails } = read.publicKey;
      const { namedCurve, modulusLength } = asymmetricKeyDetails;
      assert.equal(`${asymmetricKeyType} ${namedCurve ?? modulusLength}`, key);
    });

    test("each is another one", () => {
      const other = new X509Certificate(make().cert);
      assert.notEqual(other.serialNumber, read.serialNumber);
      assert.ok(!read.verify(other.publicKey));
    });

    test("a client that was given it trusts the server, any other does not", async () => {
      const server = createServer(own, (socket) => socket.end("hello")).on(
        "tlsClientError",
        () => {},
      );
      await once(server.listen(0, "127.0.0.1"), "listening");
      const { port } = server.address();
      const trusts = connect({ host: "127.0.0.1", port, ca: own.cert });
      await once(trusts, "secureConnect");
      assert.ok(trusts.authorized);
      trusts.destroy();
      const stranger = connect({ host: "127.0.0.1", port });
      const [error] = await once(stranger, "error").catch((thrown) => [thrown]);
      assert.match(error.code, /SELF_SIGNED|UNABLE_TO_VERIFY/);
      server.close();
    });
  });

test("another kind of key is refused with the kinds that there are", () => {
  for (const kind of ["RSA-1024", "toString", "", undefined])
    assert.throws(() => ofKind(kind), /no kind of key .*: use RSA-4096, RSA-2048, P-256/);
});
