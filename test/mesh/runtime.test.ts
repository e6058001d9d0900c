import assert from "node:assert/strict";
import { test } from "node:test";
import { createRuntime, defineKind } from "holdfast";
import Type from "typebox";
import { inEmptyFolder } from "../scenario/program.ts";
import { MeshAgent } from "./mesh-client.ts";
import { startNats } from "./private-nats.ts";

const guarded = defineKind({ type: "guarded", value: Type.Object({}), needsLocks: true });

test("a runtime without a lock manager refuses a lock command with the toggle that enables locks [M6 M13]", async () => {
  await using nats = await startNats();
  const runtime = await createRuntime({
    journal: { memory: true },
    nats: { servers: [nats.url], principal: "mesh" },
  });
  await using agent = await MeshAgent.connect(nats.url);
  const acquire = { resource_id: "doc/1", owner_id: "ann", ttl_seconds: 60 };
  const answer = await agent.command("cmd.lock.acquire", acquire);
  assert.equal(answer.headers["Holdfast-Problem"], "locks_off");
  assert.equal(answer.data["toggle"], "component_toggles.lock_manager");
  await runtime.client.entities.create("plan", "1", {});
  await runtime.close();
});

test("a kind that needs locks does not start without them, and the error names the toggle [M6 M13]", async () => {
  await assert.rejects(
    createRuntime({ journal: { memory: true }, kinds: [guarded] }),
    /guarded needs the lock manager, but component_toggles\.lock_manager is off/,
  );
  const toggles = { component_toggles: { lock_manager: true } };
  await (await createRuntime({ journal: { memory: true }, kinds: [guarded], ...toggles })).close();
});

test("a runtime refuses an unknown toggle, and a toggle switches a pack off [M13]", async () => {
  await assert.rejects(
    createRuntime({ journal: { memory: true }, component_toggles: { lock_manger: true } }),
    /component_toggles\.lock_manger does not exist/,
  );
  const runtime = await createRuntime({ journal: { memory: true }, component_toggles: { planning: false } });
  await assert.rejects(runtime.client.planning.organizations.create({ name: "Us" }), { code: "planning.off" });
  await runtime.close();
});

test(
  "a toggle is stored in the journal, and a runtime without the toggle keeps the stored value [M6 M13]",
  inEmptyFolder(async (folder) => {
    const first = await createRuntime({ journal: folder, component_toggles: { lock_manager: true } });
    await first.close();
    const second = await createRuntime({ journal: folder });
    const held = await second.client.operations.acquireLock({ paths: ["a"], ownerId: "ann", ttlMs: 60_000 });
    assert.ok(held.granted);
    await second.close();
  }),
);
