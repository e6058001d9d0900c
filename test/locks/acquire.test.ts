import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { open } from "holdfast";
import { refusalOf, refusedWith } from "../api/refused-with.ts";
import { promise, promiseOnEveryStore } from "../api/with-client.ts";
import { granted, lockNode, queued } from "./lock-node.ts";
import { rawAcquire } from "./raw-acquire.ts";

const ttl = { ttlMs: 30_000 };

describe("acquiring", () => {
  promiseOnEveryStore(
    "an acquire replies at once, with the expiry of the grant or a denial that names the earliest holder [M7 G4]",
    async (client) => {
      const first = granted(await rawAcquire(client, "doc/1", { ...ttl, ownerId: "a", purpose: "editing" }));
      assert.equal(Date.parse(first.expiresAt) - Date.parse(first.acquiredAt), 30_000);
      const reply = await client.execute("acquire-lock", { paths: ["doc/1"], ttl_seconds: 5, owner_id: "b" });
      assert.equal(reply.outcome.kind, "refusal");
      const data = (reply.outcome as { data: Record<string, unknown> }).data;
      assert.deepEqual([data["resource_id"], data["requested_by"], data["current_owner"]], ["doc/1", "b", "a"]);
      const [holder] = data["holders"] as Record<string, unknown>[];
      assert.equal(holder?.["purpose"], "editing");
      assert.equal(holder["until"], first.expiresAt);
      assert.deepEqual([data["queue_length"], data["place"]], [0, 1]);
      assert.equal(reply.events.length, 0);
    },
  );

  promise(
    "an acquire of a held path returns the same fence, and a stronger mode is an upgrade [M7]",
    async (client) => {
      const first = granted(await rawAcquire(client, "doc/1", { ...ttl, mode: "read", ownerId: "a" }));
      const again = granted(
        await client.operations.acquireLock({ paths: ["doc/1"], ttlMs: 60_000, mode: "read", ownerId: "a" }),
      );
      assert.equal(again.fence, first.fence);
      assert.ok(again.expiresAt > first.expiresAt);
      const stronger = granted(await rawAcquire(client, "doc/1", { ...ttl, ownerId: "a" }));
      assert.notEqual(stronger.fence, first.fence);
      assert.equal((await client.locks.status("doc/1")).holders.length, 1);
    },
  );

  promise(
    "an acquire needs a lease of 1 to 86,400 seconds unless the kind of path has a default [M7 M9]",
    async (client) => {
      const refuse = async (ttlSeconds: number | undefined, path = "doc/1") =>
        refusalOf(
          rawAcquire(client, path, { ownerId: "a", ...(ttlSeconds === undefined ? {} : { ttlMs: ttlSeconds * 1000 }) }),
        );
      for (const bad of [undefined, 0, 86_401, 1.5])
        assert.equal((await refuse(bad)).code, "input_invalid", String(bad));
      assert.equal(
        granted(await client.operations.acquireLock({ paths: ["program/7/function/1"], ownerId: "a" })).ttlMs,
        1_800_000,
      );
      assert.equal(
        granted(await client.operations.acquireLock({ paths: ["project/p/map/m"], ownerId: "a" })).ttlMs,
        45_000,
      );
      assert.equal((await refuse(29, "project/q")).code, "input_invalid");
      assert.equal((await refuse(61, "project/q")).code, "input_invalid");
    },
  );

  promise("an acquire of an invalid path is refused with the reason", async (client) => {
    const bad = ["", "/a", "a/", "a//b", "a/../b", ".", "a/\u0007", `${"a/".repeat(32)}a`, "a".repeat(1025), "e\u0301"];
    for (const path of bad) {
      const refused = await refusalOf(rawAcquire(client, path, { ...ttl, ownerId: "a" }));
      assert.ok(["path_invalid", "input_invalid"].includes(refused.code), path);
    }
  });

  promise(
    "an acquire of a set takes all paths or none, so one held path leaves the others free [G3]",
    async (client) => {
      await rawAcquire(client, "f/2", { ...ttl, ownerId: "a" });
      const set = ["f/3", "f/1", "f/2"];
      await assert.rejects(rawAcquire(client, set, { ...ttl, ownerId: "b" }), refusedWith("lock_denied"));
      granted(await rawAcquire(client, "f/1", { ...ttl, ownerId: "c" }));
      await client.locks.release({ paths: ["f/1"] }, { ownerId: "c" });
      await client.locks.release({ paths: ["f/2"] }, { ownerId: "a" });
      const all = granted(await rawAcquire(client, [...set, { path: "f/1", mode: "read" }], { ...ttl, ownerId: "b" }));
      assert.deepEqual(
        all.paths.map(({ path, mode }) => [path, mode]),
        [
          ["f/1", "write"],
          ["f/2", "write"],
          ["f/3", "write"],
        ],
      );
      assert.equal((await client.locks.records({ ownerId: "b" })).items.length, 3);
      await client.locks.release({ paths: ["f/2"] }, { ownerId: "b" });
      granted(await rawAcquire(client, "f/2", { ...ttl, ownerId: "c" }));
      await client.locks.release({ fence: all.fence }, { ownerId: "b" });
      assert.equal((await client.locks.records({ ownerId: "b" })).items.length, 0);
    },
  );

  promise("concurrent acquires of sets in any order never deadlock and are all granted [G3]", async (client) => {
    const paths = ["g/1", "g/2", "g/3", "g/4"];
    const owners = Array.from({ length: 10 }, (_, index) => `o${index}`);
    const shuffled = (index: number) =>
      [...paths.slice(index % 4), ...paths.slice(0, index % 4)].slice(0, 2 + (index % 3));
    const answers = await Promise.all(
      owners.map((ownerId, index) => rawAcquire(client, shuffled(index), { ...ttl, ownerId, wait: true })),
    );
    let served = 0;
    for (const _round of owners) {
      const held = (await client.locks.records()).items.map(({ owner }) => owner);
      for (const ownerId of new Set(held)) {
        const own = (await client.agents.whoAmI({ ownerId })).holds;
        for (const { fence } of own) await client.locks.release({ fence }, { ownerId });
        served += 1;
      }
    }
    assert.equal(served, answers.length);
  });

  promise(
    "a release of a path that its caller does not hold is refused with lock_not_held and publishes nothing [M8]",
    async (client) => {
      await rawAcquire(client, "doc/1", { ...ttl, ownerId: "a" });
      const reply = await client.execute("release-lock", { paths: ["doc/1"], owner_id: "b" });
      assert.deepEqual([reply.outcome.kind, (reply.outcome as { code: string }).code], ["refusal", "lock_not_held"]);
      assert.deepEqual(reply.events, []);
      await client.locks.release({ paths: ["doc/1"] }, { ownerId: "a" });
      await assert.rejects(client.locks.release({ paths: ["doc/1"] }, { ownerId: "a" }), refusedWith("lock_not_held"));
    },
  );

  promise("a release, a renewal and an expiry publish one event each [M8]", async (client) => {
    const { fence } = granted(await rawAcquire(client, "doc/1", { ...ttl, ownerId: "a", purpose: "x" }));
    await client.locks.renew({ path: "doc/1" }, { ttlMs: 60_000, note: "half done", ownerId: "a" });
    await client.locks.release({ fence }, { ownerId: "a" });
    const { items } = await client.locks.history("doc/1");
    const names = items.map(({ event }) => event);
    assert.deepEqual(names, ["evt.lock.released", "evt.lock.refreshed", "evt.lock.acquired"]);
    const [released] = items as readonly { data: Record<string, unknown> }[];
    assert.deepEqual([released?.data["purpose"], released?.data["note"]], ["x", "half done"]);
  });

  promise(
    "an acquire that is repeated under its key returns the same grant and reports whether it is still held",
    async (client) => {
      const acquire = () => rawAcquire(client, "doc/1", { ...ttl, ownerId: "a", key: "request-1" });
      const first = granted(await acquire());
      assert.deepEqual([granted(await acquire()).fence, granted(await acquire()).stillHeld], [first.fence, true]);
      const wait = () => rawAcquire(client, "doc/1", { ...ttl, ownerId: "b", wait: true, key: "request-2" });
      const place = queued(await wait());
      assert.deepEqual([queued(await wait()).ticket, queued(await wait()).place], [place.ticket, 1]);
      await client.locks.release({ fence: first.fence }, { ownerId: "a" });
      assert.equal(granted(await acquire()).stillHeld, false);
      assert.equal(granted(await wait()).stillHeld, true);
    },
  );

  test("a registered owner id is reserved for its agent, and other owner ids need no registration [M14]", async () => {
    const node = await lockNode();
    const a = await node.agent("a");
    const refused = await refusalOf(rawAcquire(node.client, "doc/1", { ...ttl, ownerId: a.id }));
    assert.equal(refused.code, "owner_taken");
    granted(await rawAcquire(a, "doc/1", ttl));
    await assert.rejects(rawAcquire(node.client, "doc/2", ttl), refusedWith("owner_required"));
    await node.stop();
  });

  test("a server with locks disabled refuses every lock command and does not start a kind that needs locks [M6]", async () => {
    await using client = await open({ memory: true }, { component_toggles: { lock_manager: false } });
    const refused = await refusalOf(rawAcquire(client, "doc/1", { ...ttl, ownerId: "a" }));
    assert.deepEqual([refused.code, refused.data["toggle"]], ["locks_off", "component_toggles.lock_manager"]);
    await client.run("configure-locks", { lock_manager: true });
    granted(await rawAcquire(client, "doc/1", { ...ttl, ownerId: "a" }));
    const { defineKind } = await import("holdfast");
    const { default: Type } = await import("typebox");
    const kind = defineKind({ type: "page", value: Type.Unknown(), needsLocks: true });
    const off = { component_toggles: { lock_manager: false }, kinds: [kind] };
    await assert.rejects(
      open({ memory: true }, off),
      /page needs the lock manager, but component_toggles\.lock_manager is off/u,
    );
  });
});
