import assert from "node:assert/strict";
import { test } from "node:test";
import { holdfast } from "../scenario/holdfast-command.ts";
import { inEmptyFolder } from "../scenario/program.ts";
import { startNats } from "./private-nats.ts";

interface Health {
  readonly components: { readonly nats: { readonly ready: boolean; readonly reasons: readonly string[] } };
}

const password = "let-in-and-never-shown";
const wrong = "kept-out-and-never-shown";

/** How the mesh stands for a server with this password, and everything that was shown to anybody. */
async function enter(folder: string, url: string, given: string): Promise<{ health: Health; shown: string }> {
  const words = ["up", "--json", "--nats", url, "--nats-user", "ann"];
  const program = holdfast(folder, words, { env: { HOLDFAST_NATS_PASSWORD: given } });
  const up = await program.line(/"event":"up"/u);
  const { url: address } = JSON.parse(up) as { readonly url: string };
  const text = await (await fetch(`${address}/health`)).text();
  program.signal("SIGTERM");
  const { code, lines, errors } = await program.ended;
  assert.equal(code, 0);
  return { health: JSON.parse(text) as Health, shown: [text, ...lines, errors].join("\n") };
}

test(
  "a nats-server that asks for a password is entered with the right one alone, and neither is ever shown [M11 M14]",
  inEmptyFolder(async (folder) => {
    await using nats = await startNats(["--user", "ann", "--pass", password]);
    const right = await enter(folder, nats.url, password);
    assert.deepEqual(right.health.components.nats.reasons, []);
    assert.equal(right.health.components.nats.ready, true);
    const refused = await enter(folder, nats.url, wrong);
    assert.equal(refused.health.components.nats.ready, false);
    assert.match(refused.health.components.nats.reasons.join(), /authorization/iu);
    for (const { shown } of [right, refused]) assert.doesNotMatch(shown, /never-shown/u);
  }),
);
