import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { StateHash } from "../../server/src/engine/state-hash.ts";
import { entityTable } from "../../server/src/features/entities/entity-table.ts";
import type { CheckpointRow } from "../../server/src/journal/checkpoint.ts";
import type { MemoryDisk } from "../../server/src/journal/memory/disk.ts";
import { openMemoryJournal } from "../../server/src/journal/memory/open.ts";
import { machineOf } from "../../server/src/assembly/open.ts";
import { loopTicks, ManualClock } from "./manual-clock.ts";
import { startNode } from "./start-node.ts";

const everything = { entries: 1_000_000, bytes: Infinity };

/** The hash of the state after a fold from the first entry. */
async function foldedHash(disk: MemoryDisk, to = Infinity): Promise<string> {
  const entries = await openMemoryJournal(disk).read(0, everything);
  const machine = machineOf([]);
  for (const entry of entries) if (entry.position <= to) machine.fold(entry);
  const hash = new StateHash();
  for (const { table, row } of machine.dump()) hash.add(table, JSON.stringify(row));
  return hash.text;
}

describe("checkpoints", () => {
  test("checkpoints are saved during writes, and each matches the fold of the journal up to its position", async () => {
    const { client, engine, disk } = await startNode({ checkpointEvery: 100 });
    for (let n = 0; n < 450; n += 1) await client.entities.create("document", String(n % 60), { n }).catch(() => 0);
    for (let n = 0; n < 450; n += 1)
      await client.entities.patch("document", String(n % 60), { merge: { n: n + 1000 } });
    await engine.checkpoint();
    const [newest, previous] = openMemoryJournal(disk).checkpoints.list();
    assert.equal(newest?.head.position, engine.head.position);
    assert.equal(newest.stateHash, await foldedHash(disk));
    assert.ok(previous !== undefined && previous.head.position < newest.head.position);
    assert.equal(previous.stateHash, await foldedHash(disk, previous.head.position));
    await client.close();
  });

  test("a slice of a checkpoint ends at 200 rows or 256 KB, and commands run between two slices", async () => {
    const slices: (readonly CheckpointRow[])[] = [];
    const clock = new ManualClock();
    const { client, engine } = await startNode({
      clock,
      prepare: ({ checkpoints }) => {
        const begin = checkpoints.begin.bind(checkpoints);
        checkpoints.begin = async (base) => {
          const draft = await begin(base);
          if (draft === undefined) return undefined;
          const write = draft.write.bind(draft);
          draft.write = (rows) => {
            slices.push(rows);
            return write(rows);
          };
          return draft;
        };
      },
    });
    const text = "x".repeat(100 * 1024);
    for (let n = 0; n < 12; n += 1) await client.entities.create("document", `large-${n}`, { text });
    for (let n = 0; n < 450; n += 1) await client.entities.create("document", `small-${n}`, { n });
    let yieldCount = 0;
    const soon = clock.soon.bind(clock);
    clock.soon = (callback) => {
      yieldCount += 1;
      soon(callback);
    };
    await engine.checkpoint();
    const bytesOf = (rows: readonly CheckpointRow[]): number =>
      rows.reduce((sum, { line = "" }) => sum + Buffer.byteLength(line), 0);
    assert.ok(slices.every((rows) => rows.length <= 200));
    assert.ok(slices.every((rows) => bytesOf(rows) - bytesOf(rows.slice(-1)) < 256 * 1024));
    assert.ok(
      slices.slice(0, 4).every((rows) => rows.length === 3),
      "three large rows reach 256 KB",
    );
    assert.ok(yieldCount >= 2 * slices.length - 2, `${slices.length} slices had only ${yieldCount} yields`);
    await client.close();
  });

  test("a start from a checkpoint folds the later entries and has the same state as a fold of all entries [X1]", async () => {
    const first = await startNode({ checkpointEvery: 50 });
    for (let n = 0; n < 230; n += 1) await first.client.entities.create("document", String(n), { n });
    await first.engine.checkpoint();
    for (let n = 0; n < 30; n += 1) await first.client.entities.delete("document", String(n));
    await loopTicks(20);
    const second = await startNode({ disk: first.disk });
    assert.equal(second.engine.head.position, 260);
    assert.equal((await second.client.entities.list("document", { limit: 1000 })).items.length, 200);
    await second.engine.checkpoint();
    const [newest] = openMemoryJournal(first.disk).checkpoints.list();
    assert.equal(newest?.stateHash, await foldedHash(first.disk));
    await second.client.close();
  });

  test("a checkpoint holds no deleted row, so the next start can use it", async () => {
    const { client, engine, disk } = await startNode();
    const lock = await client.operations.acquireLock({ paths: ["a"], ttlMs: 60_000, ownerId: "x" });
    await engine.checkpoint();
    assert.ok(lock.granted);
    await client.locks.release({ fence: lock.fence }, { ownerId: "x" });
    await engine.checkpoint();
    const next = await startNode({ disk });
    assert.deepEqual(next.reports, []);
    await next.client.close();
  });

  test("a checkpoint that does not match its own hash is skipped, and the previous one or the journal is used", async () => {
    const { client, engine, disk } = await startNode();
    await client.entities.create("document", "1", { n: 1 });
    await engine.checkpoint();
    await client.entities.create("document", "2", { n: 2 });
    const { checkpoints } = openMemoryJournal(disk);
    const [base] = checkpoints.list();
    const draft = checkpoints.begin(base?.head);
    draft?.write([{ table: "entities", key: "document/1", line: '{"forged":true}' }]);
    draft?.commit({ head: engine.head, rules: 1, stateHash: base?.stateHash ?? "" });
    const next = await startNode({ disk });
    assert.ok(next.reports.some((report) => report.includes("it is not used")));
    assert.deepEqual((await next.client.entities.get("document", "1")).value, { n: 1 });
    assert.equal((await next.client.entities.list("document")).items.length, 2);
    await next.client.close();
  });

  test("a checkpoint of a lost history is never used", async () => {
    const { client, engine, disk } = await startNode();
    await client.entities.create("document", "1", {});
    await client.entities.create("document", "2", {});
    await engine.checkpoint();
    disk.truncate(1);
    const next = await startNode({ disk });
    assert.deepEqual(
      (await next.client.entities.list("document")).items.map(({ id }) => id),
      ["1"],
    );
    await next.client.close();
  });

  test("nodes that share a store save checkpoints on top of each other's, also after one of them has stopped", async () => {
    const a = await startNode({ checkpointEvery: 100 });
    const b = await startNode({ disk: a.disk, checkpointEvery: 100 });
    const write = async (node: typeof a, from: number, to: number): Promise<void> => {
      for (let n = from; n < to; n += 1) await node.client.entities.replace("document", String(n % 70), { n });
      await loopTicks(20);
    };
    for (let n = 0; n < 70; n += 1) await a.client.entities.create("document", String(n), {});
    await write(a, 0, 450);
    await write(b, 450, 900);
    await b.engine.checkpoint();
    await a.client.close();
    await write(b, 900, 1_200);
    const { checkpoints } = openMemoryJournal(a.disk);
    const [newest] = checkpoints.list();
    assert.ok(newest !== undefined && newest.head.position > 1_000);
    assert.equal(newest.stateHash, await foldedHash(a.disk, newest.head.position));
    // Without a base, the next checkpoint holds all rows.
    checkpoints.clear();
    await write(b, 1_200, 1_500);
    const [whole] = checkpoints.list();
    assert.equal(whole?.stateHash, await foldedHash(a.disk, whole?.head.position));
    const next = await startNode({ disk: a.disk });
    assert.deepEqual(next.reports, []);
    assert.equal((await next.client.entities.list("document", { limit: 1000 })).items.length, 70);
    await next.client.close();
    await b.client.close();
  });

  test("a stop saves a checkpoint if the next start would fold many entries", async () => {
    const { client, disk } = await startNode();
    await Promise.all(Array.from({ length: 1_500 }, (_, n) => client.entities.create("document", String(n), {})));
    await client.close();
    assert.equal(openMemoryJournal(disk).checkpoints.list()[0]?.head.position, 1_500);
  });
});

describe("the hash of the state", () => {
  test("the hash of the state is recorded at each multiple of state_hash_every, for exactly that position [M3 X1]", async () => {
    const { client, disk } = await startNode();
    await client.run("configure", { settings: { state_hash_every: 100 }, reason: "to see it" });
    await Promise.all(Array.from({ length: 350 }, (_, n) => client.entities.create("document", String(n), { n })));
    await loopTicks(50);
    const entries = await openMemoryJournal(disk).read(0, everything);
    const hashes = entries.flatMap(({ events }) => events.filter(({ type }) => type === "space.state_hashed"));
    assert.deepEqual(
      hashes.map(({ data }) => data["position"]),
      [100, 200, 300],
    );
    for (const { data } of hashes) assert.equal(data["hash"], await foldedHash(disk, data["position"] as number));
    await client.close();
  });

  test("a replica whose state differs from the recorded hash stops and reports the position [X1]", async () => {
    const a = await startNode();
    await a.client.run("configure", { settings: { state_hash_every: 100 } });
    const b = await startNode({ disk: a.disk });
    await Promise.all(Array.from({ length: 98 }, (_, n) => a.client.entities.create("document", String(n), { n })));
    // Simulates a memory error of b: one of its rows differs from the row of all other nodes.
    await loopTicks(10);
    await b.engine.read((state) => {
      const rows = state.rows(entityTable);
      (rows.get("document/7") as { version: number }).version = 99;
    });
    await b.client.entities.patch("document", "7", { merge: { x: 1 } }).catch(() => undefined);
    await Promise.all(
      Array.from({ length: 9 }, (_, n) => a.client.entities.create("more", String(n), {}).catch(() => 0)),
    );
    await loopTicks(50);
    const stopped = [...a.reports, ...b.reports].filter((report) => report.includes("this node is stopping"));
    assert.ok(
      stopped.some((report) => report.includes("position 100")),
      stopped.join("; ") || "no node stopped",
    );
    await a.client.close();
    await b.client.close();
  });
});
