import assert from "node:assert/strict";
import { test } from "node:test";
import { inEmptyFolder } from "../scenario/program.ts";
import { enter } from "./enter.ts";
import { startNats } from "./private-nats.ts";

const password = "let-in-and-never-shown";
const wrong = "kept-out-and-never-shown";

test(
  "a nats-server that asks for a password is entered with the right one alone, and neither is ever shown [M11 M14]",
  inEmptyFolder(async (folder) => {
    await using nats = await startNats(["--user", "ann", "--pass", password]);
    const as = (given: string) => enter(folder, nats.url, ["--nats-user", "ann"], { HOLDFAST_NATS_PASSWORD: given });
    const right = await as(password);
    assert.deepEqual(right.mesh, { ready: true, reasons: [] });
    const refused = await as(wrong);
    assert.equal(refused.mesh.ready, false);
    assert.match(refused.mesh.reasons.join(), /authorization/iu);
    for (const { shown } of [right, refused]) assert.doesNotMatch(shown, /never-shown/u);
  }),
);
