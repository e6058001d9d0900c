import assert from "node:assert/strict";
import { test } from "node:test";
import { makeCertificates } from "../scenario/certificates.ts";
import { inEmptyFolder } from "../scenario/program.ts";
import { enter } from "./enter.ts";
import { startNats } from "./private-nats.ts";

test(
  "a nats-server that wants TLS from both sides is entered by who trusts it and is trusted, and by nobody else [M11]",
  inEmptyFolder(async (folder) => {
    const { authority, stranger, server, client } = makeCertificates(folder);
    const shows = ["--tlsverify", "--tlscert", server.cert, "--tlskey", server.key, "--tlscacert", authority];
    await using nats = await startNats(shows);
    const own = ["--nats-cert", client.cert, "--nats-key", client.key];
    const entered = await enter(folder, nats.url, ["--nats-ca", authority, ...own]);
    assert.deepEqual(entered.mesh, { ready: true, reasons: [] });
    for (const words of [
      ["--nats-ca", stranger, ...own],
      ["--nats-ca", authority],
    ]) {
      const { mesh } = await enter(folder, nats.url, words);
      assert.equal(mesh.ready, false, words.join(" "));
      assert.notEqual(mesh.reasons.join(), "");
    }
  }),
);
