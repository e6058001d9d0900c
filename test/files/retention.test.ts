/** Versions that are superseded, pinned and read, on a clock that the test moves and a real disk. */
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { Client } from "holdfast";
import { ServiceKeeper } from "../../server/src/services/service-keeper.ts";
import { startNode } from "../engine/start-node.ts";
import { temporaryRoot } from "../observe/temporary-root.ts";

const hourMs = 3_600_000;

interface RetentionNode extends AsyncDisposable {
  readonly client: Client;
  publish(text: string): Promise<void>;
  versions(): Promise<readonly number[]>;
  /** The number of folders of versions on the disk. */
  folders(): Promise<number>;
  pass(durationMs: number): Promise<void>;
  /** Waits for a number of folders of versions, or of folders that the service has yet to remove. */
  becomes(what: "folders" | "garbage", count: number): Promise<void>;
}

async function retentionNode(): Promise<RetentionNode> {
  const root = await temporaryRoot();
  const { services, client, clock } = await startNode();
  const keeper = new ServiceKeeper([root.service], { services, report: () => undefined });
  await keeper.start();
  const folders = async (): Promise<number> =>
    (await readdir(join(root.folder, "t"))).filter((name) => name.startsWith("v.")).length;
  return {
    client,
    folders,
    async publish(text) {
      await using publishing = await client.files.publish("t");
      await publishing.write("a", text);
      await publishing.commit();
    },
    versions: async () => (await client.files.listVersions("t")).items.map(({ version }) => version),
    async pass(durationMs) {
      await clock.pass(durationMs, durationMs / 20);
      // A step this long counts as a stall, and nothing expires in the ten seconds after it.
      await clock.pass(30_000, 1_000);
    },
    async becomes(what, count) {
      const garbage = async (): Promise<number> => (await client.files.listRoots()).items[0]?.garbage ?? 0;
      const read = { folders, garbage }[what];
      // The disk takes real time, and the service looks for folders at intervals of the moved clock.
      for (let tries = 0; tries < 2_000 && (await read()) !== count; tries += 1) await clock.pass(1_000, 1_000);
      assert.equal(await read(), count, what);
    },
    async [Symbol.asyncDispose]() {
      await keeper.stop();
      await client.close();
      await root[Symbol.asyncDispose]();
    },
  };
}

test("a superseded version stays for its time, the one before the current stays, and then its folder is removed [W6]", async () => {
  await using node = await retentionNode();
  for (const text of ["1", "2", "3"]) await node.publish(text);
  await node.pass(hourMs / 2);
  assert.deepEqual([await node.versions(), await node.folders()], [[3, 2, 1], 3]);
  await node.pass(hourMs / 2);
  assert.deepEqual(await node.versions(), [3, 2]);
  await node.becomes("folders", 2);
  await node.pass(24 * hourMs);
  assert.deepEqual([await node.versions(), await node.folders()], [[3, 2], 2]);
});

test("a pinned version outlives its retention time until the pin ends [W6]", async () => {
  await using node = await retentionNode();
  await node.publish("1");
  await node.client.files.pin({ target: "t", version: 1, ttlMs: 3 * hourMs });
  for (const text of ["2", "3"]) await node.publish(text);
  await node.pass(2 * hourMs);
  assert.deepEqual(await node.versions(), [3, 2, 1]);
  assert.equal(Buffer.from(await node.client.files.read("t", "a", { version: 1 })).toString(), "1");
  await node.pass(hourMs);
  assert.deepEqual(await node.versions(), [3, 2]);
  await node.becomes("folders", 2);
});

test("each reader ends only its own pin, and a version without pins is removed at its time [W6]", async () => {
  await using node = await retentionNode();
  const { files } = node.client;
  const other = node.client.agent({ name: "other" });
  await node.publish("1");
  for (const reader of [files, other.files]) await reader.pin({ target: "t", version: 1, ttlMs: 20 * hourMs });
  for (const text of ["2", "3"]) await node.publish(text);
  assert.deepEqual(await files.unpin({ target: "t", version: 1 }), { target: "t", version: 1 });
  await node.pass(2 * hourMs);
  assert.deepEqual(await node.versions(), [3, 2, 1], "the other reader keeps it");
  await assert.rejects(files.unpin({ target: "t", version: 9 }), { code: "files.version_unknown" });
  await other.files.unpin({ target: "t", version: 1 });
  await node.pass(60_000);
  assert.deepEqual(await node.versions(), [3, 2]);
});

test("the folder of a collected version stays while a stream reads it, and the stream gets every byte [W6]", async () => {
  await using node = await retentionNode();
  const text = "x".repeat(900_000);
  await node.publish(text);
  let bytes = 0;
  for await (const chunk of (await node.client.files.open("t", "a")).open()) {
    const isFirst = bytes === 0;
    bytes += chunk.byteLength;
    if (!isFirst) continue;
    for (const next of ["2", "3", "4"]) await node.publish(next);
    await node.pass(2 * hourMs);
    assert.deepEqual(await node.versions(), [4, 3]);
    // One command records what a scan removed. Only the second version is in it.
    await node.becomes("garbage", 1);
    assert.equal(await node.folders(), 3);
  }
  assert.equal(bytes, text.length);
  await node.becomes("folders", 2);
});

test("a version has at most 100 readers, and a reader that has it can still extend its own time [W6 X15]", async () => {
  await using node = await retentionNode();
  await node.publish("1");
  const reader = async (name: string): Promise<Client> => node.client.as(await node.client.agents.register({ name }));
  const pin = (client: Client, hours = 1): Promise<unknown> =>
    client.files.pin({ target: "t", version: 1, ttlMs: hours * hourMs });
  const readers = await Promise.all(Array.from({ length: 100 }, (_none, index) => reader(`reader-${String(index)}`)));
  for (const client of readers) await pin(client);
  const late = await reader("late");
  await assert.rejects(pin(late), { code: "files.pins_full" });
  const [first] = readers;
  assert.ok(first !== undefined);
  await pin(first, 2);
  await first.files.unpin({ target: "t", version: 1 });
  await pin(late);
});
