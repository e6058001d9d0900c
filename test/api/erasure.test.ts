import assert from "node:assert/strict";
import { describe } from "node:test";
import { refusalOf, refusedWith } from "./refused-with.ts";
import { promise, promiseOnEveryStore } from "./with-client.ts";

describe("erasure", () => {
  promiseOnEveryStore(
    "an erasure removes a payload, and history, keys and time travel name the entry that erased it [X1]",
    async (client) => {
      const { entities } = client;
      const input = { type: "person", id: "1", value: { name: "a secret name" } };
      const { position } = await client.execute("create-entity", input, { key: "k" });
      await entities.patch("person", "1", { merge: { age: 3 } });
      await entities.replace("person", "1", { name: "another" });
      const erased = (await client.run("erase-payload", { position, reason: "asked for" })) as { erased_by: number };
      const by = erased.erased_by;
      assert.equal(by, position + 3);
      const { items } = await entities.history("person", "1");
      const item = items.find((candidate) => candidate.position === position);
      assert.deepEqual([item?.data, item?.erasedBy, item?.event], [{}, by, "evt.person.created"]);
      assert.deepEqual((await entities.get("person", "1")).value, { name: "another" });
      const past = await refusalOf(entities.get("person", "1", { version: 1 }));
      assert.deepEqual([past.code, past.data["erasedBy"]], ["entry_erased", by]);
      await assert.rejects(entities.get("person", "1", { position: position + 1 }), refusedWith("entry_erased"));
      const replay = await refusalOf(client.run("create-entity", input, { key: "k" }));
      assert.deepEqual([replay.code, replay.data["erased_by"]], ["entry_erased", by]);
      assert.deepEqual((await entities.get("person", "1", { version: 3 })).value, { name: "another" });
    },
  );

  promise(
    "an erasure is refused while the current state depends on the entry, and the refusal names the dependents",
    async (client) => {
      const { entities } = client;
      const created = await entities.create("person", "1", { name: "x" });
      const patched = await entities.patch("person", "1", { merge: { age: 3 } });
      for (const { position } of [created, patched]) {
        const refused = await refusalOf(client.run("erase-payload", { position, reason: "asked for" }));
        assert.deepEqual([refused.code, refused.data["subjects"]], ["entry_in_use", ["person/1"]]);
      }
      await entities.delete("person", "1");
      for (const { position } of [created, patched])
        await client.run("erase-payload", { position, reason: "asked for" });
      await assert.rejects(entities.get("person", "1"), refusedWith("entity_deleted"));
      assert.equal((await entities.create("person", "1", {})).version, 4);
    },
  );

  promise(
    "a repeated erasure returns the first result, and an erasure of an unknown entry is refused",
    async (client) => {
      const { position } = await client.entities.create("person", "1", {});
      await client.entities.delete("person", "1");
      const first = await client.run("erase-payload", { position, reason: "a" });
      assert.deepEqual(await client.run("erase-payload", { position, reason: "b" }), first);
      await assert.rejects(client.run("erase-payload", { position: 100, reason: "a" }), refusedWith("entry_not_found"));
      await assert.rejects(client.run("erase-payload", { position: 0, reason: "a" }), refusedWith("input_invalid"));
      await assert.rejects(client.run("erase-payload", { position: 1 }), refusedWith("input_invalid"));
    },
  );
});

describe("time travel", () => {
  promise("an entity can be read as it was at any position [X9]", async ({ entities }) => {
    const before = await entities.create("other", "1", {});
    const at = (step: number) => ({ position: before.position + step });
    await entities.create("document", "1", { n: 1 });
    for (let n = 2; n <= 150; n += 1) await entities.patch("document", "1", { merge: { n } });
    await entities.delete("document", "1");
    await entities.create("document", "1", { n: "again" });
    for (const step of [1, 2, 63, 64, 99, 150]) {
      const { version, value } = await entities.get("document", "1", at(step));
      assert.deepEqual([version, value], [step, { n: step }], `step ${String(step)}`);
    }
    await assert.rejects(entities.get("document", "1", at(0)), refusedWith("entity_not_found"));
    await assert.rejects(entities.get("document", "1", at(151)), refusedWith("entity_deleted"));
    assert.deepEqual((await entities.get("document", "1", at(152))).value, { n: "again" });
    assert.deepEqual((await entities.get("document", "1", { position: 9_999 })).version, 152);
    const both = entities.get("document", "1", { position: 5, version: 5 });
    await assert.rejects(both, refusedWith("input_invalid"));
  });
});

describe("the quota of a space", () => {
  promise(
    "an exhausted quota refuses new data, and still allows changes that shrink or delete data",
    async (client) => {
      const { entities } = client;
      await client.run("configure", { settings: { state_bytes_max: 1_048_576 }, reason: "small on purpose" });
      const piece = "x".repeat(300_000);
      for (let n = 0; n < 4; n += 1) await entities.create("document", String(n), { piece });
      const refused = await refusalOf(entities.create("document", "4", {}));
      assert.deepEqual([refused.code, refused.data["stateBytesMax"]], ["space_full", 1_048_576]);
      await assert.rejects(entities.patch("document", "0", { merge: { more: 1 } }), refusedWith("space_full"));
      await assert.rejects(entities.replace("document", "0", { piece: piece + "x" }), refusedWith("space_full"));
      assert.equal((await entities.patch("document", "0", { merge: { piece: "x" } })).version, 2);
      assert.equal((await entities.create("document", "4", {})).version, 1);
      await entities.create("document", "5", { piece });
      await entities.create("document", "6", { piece: piece.slice(1000) }).catch(() => undefined);
      await entities.delete("document", "1");
      assert.equal((await entities.create("document", "7", {})).version, 1);
    },
  );

  promise("a change of a setting is an entry with a history", async (client) => {
    const settings = { idempotency_window_ms: 3_600_000, component_toggles: { lock_manager: true } };
    const set = (await client.run("configure", { settings, reason: "because" })) as {
      settings: object;
      changed: boolean;
    };
    assert.deepEqual([set.changed, set.settings], [true, { ...set.settings, ...settings }]);
    const again = (await client.run("configure", { settings })) as { changed: boolean };
    assert.equal(again.changed, false);
    const events = client.watch({ after: "1.0", names: ["evt.space.configured"] });
    const { value: event } = (await events.next()) as { value: { data: unknown } };
    assert.deepEqual(event.data, { settings, reason: "because" });
    await assert.rejects(client.run("configure", { settings: { speed: 1 } }), refusedWith("input_invalid"));
    await assert.rejects(client.run("configure", { settings: { state_hash_every: 1 } }), refusedWith("input_invalid"));
  });
});
