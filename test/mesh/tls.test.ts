import assert from "node:assert/strict";
import { test } from "node:test";
import { makeCertificates } from "../scenario/certificates.ts";
import { inEmptyFolder } from "../scenario/program.ts";
import { upOnMesh } from "./up-on-mesh.ts";
import { startNats } from "./private-nats.ts";

test(
  "a runtime connects to a nats-server with mutual TLS only with the right CA and a client certificate [M11]",
  inEmptyFolder(async (folder) => {
    const { authority, stranger, server, client } = makeCertificates(folder);
    const tls = ["--tlsverify", "--tlscert", server.cert, "--tlskey", server.key, "--tlscacert", authority];
    await using nats = await startNats(tls);
    const own = ["--nats-cert", client.cert, "--nats-key", client.key];
    const connected = await upOnMesh(folder, nats.url, ["--nats-ca", authority, ...own]);
    assert.deepEqual(connected.mesh, { ready: true, reasons: [] });
    for (const options of [
      ["--nats-ca", stranger, ...own],
      ["--nats-ca", authority],
    ]) {
      const { mesh } = await upOnMesh(folder, nats.url, options);
      assert.equal(mesh.ready, false, options.join(" "));
      assert.notEqual(mesh.reasons.join(), "");
    }
  }),
);
