import assert from "node:assert/strict";
import { test } from "node:test";
import { inEmptyFolder } from "../scenario/program.ts";
import { upOnMesh } from "./up-on-mesh.ts";
import { startNats } from "./private-nats.ts";

const password = "correct-and-never-shown";
const wrong = "wrong-and-never-shown";

test(
  "a runtime connects to a nats-server only with the correct password, and never prints a password [M11 M14]",
  inEmptyFolder(async (folder) => {
    await using nats = await startNats(["--user", "ann", "--pass", password]);
    const upWith = (given: string) =>
      upOnMesh(folder, nats.url, ["--nats-user", "ann"], { HOLDFAST_NATS_PASSWORD: given });
    const connected = await upWith(password);
    assert.deepEqual(connected.mesh, { ready: true, reasons: [] });
    const refused = await upWith(wrong);
    assert.equal(refused.mesh.ready, false);
    assert.match(refused.mesh.reasons.join(), /authorization/iu);
    for (const { output } of [connected, refused]) assert.doesNotMatch(output, /never-shown/u);
  }),
);
