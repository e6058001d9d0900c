import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { holdfast } from "../scenario/holdfast-command.ts";
import { inEmptyFolder } from "../scenario/program.ts";
import { MeshAgent } from "./mesh-client.ts";
import { startNats } from "./private-nats.ts";

interface MeshHealth {
  readonly ready: boolean;
  readonly components: { readonly nats: { readonly ready: boolean; readonly reasons: readonly string[] } };
}

test(
  "`holdfast up --nats` prints the version of the nats-server, serves locks, and keeps running when the nats-server stops [M6 M11]",
  inEmptyFolder(async (folder) => {
    await using nats = await startNats();
    const env = { HOLDFAST_NATS_PASSWORD: "never-to-be-seen" };
    const args = ["up", "--json", "--nats", nats.url, "--nats-principal", "mesh", "--nats-user", "ann"];
    const program = holdfast(folder, args, { env });
    const up = JSON.parse(await program.line(/"event":"up"/u)) as {
      readonly url: string;
      readonly nats: { readonly server_version: string; readonly warnings: readonly string[] };
    };
    assert.match(up.nats.server_version, /^\d+\.\d+\.\d+/u);
    assert.ok(up.nats.warnings.length > 0);
    await using agent = await MeshAgent.connect(nats.url);
    const acquire = { resource_id: "doc/1", owner_id: "ann", ttl_seconds: 60 };
    assert.equal((await agent.command("cmd.lock.acquire", acquire)).headers["Holdfast-Event"], "evt.lock.acquired");
    const health = async (): Promise<MeshHealth> => (await (await fetch(`${up.url}/health`)).json()) as MeshHealth;
    assert.equal((await health()).components.nats.ready, true);
    await nats.kill();
    while ((await health()).components.nats.ready);
    const { ready, components } = await health();
    assert.equal(ready, true, "the other doors stay open");
    assert.match(components.nats.reasons.join(), /the connection to the nats-server is lost/u);
    const authorization = `Bearer ${(await readFile(join(folder, ".holdfast", "operator-token"), "utf8")).trim()}`;
    const metrics = await (await fetch(`${up.url}/metrics`, { headers: { authorization } })).text();
    assert.match(metrics, /^holdfast_nats_ready 0$/mu);
    assert.match(metrics, /^holdfast_nats_deliveries_total 1$/mu);
    assert.match(metrics, /^holdfast_nats_disconnects_total 1$/mu);
    program.signal("SIGTERM");
    const { code, lines, errors } = await program.ended;
    assert.equal(code, 0);
    assert.doesNotMatch([...lines, errors].join("\n"), /never-to-be-seen/u);
  }),
);

test(
  "up refuses --require-token together with --nats-principal, which contradict each other [M14]",
  inEmptyFolder(async (folder) => {
    await using nats = await startNats();
    const args = ["up", "--require-token", "--nats", nats.url, "--nats-principal", "mesh"];
    const { code, errors } = await holdfast(folder, args).ended;
    assert.notEqual(code, 0);
    assert.match(errors, /remove one of them/u);
  }),
);
