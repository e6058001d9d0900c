/** Rows outside Holdfast, in a real Postgres, guarded by the fences of a real Holdfast and by the SQL of the guide. */
import assert from "node:assert/strict";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { after, before, beforeEach, describe, test } from "node:test";
import { type Client, open } from "holdfast";
import { granted, lockNode, queued } from "../locks/lock-node.ts";
import { type GuardedRows, snippets, sqlState, startGuardedRows } from "./guarded-rows.ts";
import { inEmptyFolder } from "./program.ts";
import { rawAcquire, rawLocks } from "../locks/raw-acquire.ts";

const path = "doc/42";
const ttl = { ttlMs: 30_000 };
const stale = sqlState("SF001", /^the fence [\d.]+ is stale: doc\/42 has seen a later one$/u);
const quiet = { report: () => undefined };

const take = async (client: Client, ownerId: string): Promise<string> =>
  granted(await rawAcquire(client, path, { ...ttl, ownerId })).fence;
const releaseLock = ({ locks }: Client, fence: string, ownerId: string): Promise<unknown> =>
  locks.release({ fence }, { ownerId });

/** The fences of owners that hold the lock one after the other. */
async function fencesInTurn(client: Client, count: number): Promise<readonly string[]> {
  const fences: string[] = [];
  for (let turn = 0; turn < count; turn += 1) {
    const fence = await take(client, `owner ${turn}`);
    fences.push(fence);
    await releaseLock(client, fence, `owner ${turn}`);
  }
  return fences;
}

async function twoFences(): Promise<readonly [string, string]> {
  await using client = await open({ memory: true });
  const [older = "", newer = ""] = await fencesInTurn(client, 2);
  return [older, newer];
}

describe("rows in your own Postgres", () => {
  let rows: GuardedRows;
  before(async () => {
    rows = await startGuardedRows();
  });
  beforeEach(() => rows.forget());
  // Only if it started. Otherwise this would hide the first failure behind another one.
  after(() => (rows as GuardedRows | undefined)?.stop());

  test(
    "the guard accepts the newest fence repeatedly and no older one, also after a restart and a new epoch [X3]",
    inEmptyFolder(async (folder) => {
      const [writer, late] = [await rows.writer(), await rows.writer()];
      const first = await open(join(folder, "data"), quiet);
      const older = await take(first, "a");
      await writer.write(older, "by a");
      await writer.write(older, "by a again");
      await releaseLock(first, older, "a");
      const newer = await take(first, "b");
      await writer.write(newer, "by b");
      await assert.rejects(late.write(older, "too late"), stale);
      await first.close();

      await cp(join(folder, "data"), join(folder, "copy"), { recursive: true });
      const second = await open(join(folder, "data"), quiet);
      await writer.write(newer, "by b, the current holder");
      await releaseLock(second, newer, "b");
      const farther = (await fencesInTurn(second, 9)).at(-1) ?? "";
      await writer.write(farther, "after the restart");
      for (const fence of [older, newer]) await assert.rejects(late.write(fence, "too late"), stale);
      await second.close();

      const copied = await open(join(folder, "copy"), quiet);
      await releaseLock(copied, newer, "b");
      const ofNewEpoch = await take(copied, "c");
      const [epoch = 0, position = 0] = ofNewEpoch.split(".").map(Number);
      const [epochBefore = 0, reached = 0] = farther.split(".").map(Number);
      assert.ok(epoch > epochBefore && position < reached, `${ofNewEpoch} is later than ${farther}`);
      await writer.write(ofNewEpoch, "in the new epoch");
      for (const fence of [older, newer, farther]) await assert.rejects(late.write(fence, "too late"), stale);
      await copied.close();
      assert.equal(await rows.body(), "in the new epoch");
    }),
  );

  test("the guard refuses a writer that slept past the end of its lease, once the next holder has written or read [X3]", async () => {
    const node = await lockNode();
    const [sleeper, next] = [await rows.writer(), await rows.writer()];
    const slept = await take(node.client, "sleeper");
    await sleeper.write(slept, "before the sleep");
    await node.clock.pass(31_000, 500);
    const fence = await take(node.client, "next");
    await sleeper.write(slept, "no later fence was presented yet");
    await next.read(fence);
    await assert.rejects(sleeper.write(slept, "too late"), stale);
    assert.equal(await rows.body(), "no later fence was presented yet");
    await next.write(fence, "by the next");
    await assert.rejects(sleeper.write(slept, "too late"), stale);
    assert.equal(await rows.body(), "by the next");
    await node.stop();
  });

  test("the guard is not affected by readers, and accepts the next writer after a downgrade and an upgrade [X3]", async () => {
    await using client = await open({ memory: true });
    const locks = rawLocks(client);
    const writer = await rows.writer();
    const wrote = await take(client, "a");
    await writer.write(wrote, "by a");
    const asReader = (await locks.downgrade({ fence: wrote }, "read", { ownerId: "a" })).fence;
    assert.notEqual(asReader, wrote);
    const other = granted(await locks.acquire(path, { ...ttl, mode: "read", ownerId: "b" })).fence;
    await releaseLock(client, other, "b");
    const upgraded = granted(await locks.upgrade({ fence: asReader }, { ownerId: "a" })).fence;
    await writer.write(upgraded, "by a, upgraded");
    // As the guide warns: a fence of a reader counts like any other, so readers must not use the guard.
    for (const fence of [wrote, asReader, other]) await assert.rejects(writer.write(fence, "too late"), stale);
    await releaseLock(client, upgraded, "a");
    await writer.write(await take(client, "c"), "by c");
    assert.equal(await rows.body(), "by c");
  });

  test("the guard orders the fences of one entry by their number and not by their characters [X3]", async () => {
    await using client = await open({ memory: true });
    const locks = rawLocks(client);
    const held = await take(client, "a");
    const owners = Array.from({ length: 12 }, (_, index) => `reader ${index}`);
    const tickets: string[] = [];
    for (const ownerId of owners) {
      tickets.push(queued(await locks.acquire(path, { ...ttl, mode: "read", wait: true, ownerId })).ticket);
    }
    await releaseLock(client, held, "a");
    const fences: string[] = [];
    for (const [index, ticket] of tickets.entries()) {
      fences.push(granted(await locks.accept(ticket, { ownerId: owners[index] ?? "" })).fence);
    }
    assert.match(fences.at(-1) ?? "", /^\d+\.\d+\.12$/u, fences.join(" "));
    const writer = await rows.writer();
    for (const [index, fence] of fences.entries()) {
      await writer.guard(path, fence);
      for (const before of fences.slice(0, index)) await assert.rejects(writer.guard(path, before), stale);
    }
  });

  test("the guard checks and writes in one step, so a writer that is delayed between the two blocks the next writer [X3]", async () => {
    const [older, newer] = await twoFences();
    const [slow, quick] = [await rows.writer(), await rows.writer()];
    await slow.beginWrite(older);
    const written = quick.write(newer, "by the newer");
    await rows.waits(quick, written);
    await slow.endWrite("by the older, before any other writer");
    await written;
    assert.equal(await rows.body(), "by the newer");
    await assert.rejects(slow.write(older, "too late"), stale);

    await rows.forget();
    await quick.beginWrite(newer);
    const refused = assert.rejects(slow.write(older, "too late"), stale);
    await rows.waits(slow, refused);
    await quick.endWrite("by the newer, again");
    await refused;
    assert.equal(await rows.body(), "by the newer, again");

    await rows.forget();
    await quick.beginWrite(newer);
    const accepted = slow.write(older, "the newer one rolled back");
    await rows.waits(slow, accepted);
    await quick.rollback();
    await accepted;
    assert.equal(await rows.body(), "the newer one rolled back");
  });

  test("the guard refuses a stale writer also on an older snapshot, and only the current holder succeeds with a retry [X3]", async () => {
    const [older, newer] = await twoFences();
    const [sleeper, next] = [await rows.writer(), await rows.writer()];
    for (const [fence, again] of [
      [older, stale],
      [newer, undefined],
    ] as const) {
      await next.write(newer, "by the next");
      await sleeper.sql.unsafe("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT body FROM docs").simple();
      await next.write(newer, "by the next, again");
      await assert.rejects(sleeper.guard(path, fence), sqlState("40001", /could not serialize/u));
      await sleeper.rollback();
      const trying = sleeper.write(fence, "tried again");
      await (again === undefined ? trying : assert.rejects(trying, again));
    }
    assert.equal(await rows.body(), "tried again");
  });

  test("the row has the newest fence after many concurrent writes, in any order of arrival [X3]", async () => {
    await using client = await open({ memory: true });
    const fences = await fencesInTurn(client, 8);
    const writers = await Promise.all(fences.map(() => rows.writer()));
    for (let round = 0; round < 5; round += 1) {
      await rows.forget();
      const shuffled = fences.map((_, index) => (index * 3 + round) % fences.length);
      const results = await Promise.allSettled(
        shuffled.map((index) => writers[index]!.write(fences[index]!, `by ${index}`)),
      );
      for (const result of results) if (result.status === "rejected") stale(result.reason);
      assert.equal(await rows.body(), "by 7");
    }
  });

  test("the guard keeps the fences of different resources separate [X3]", async () => {
    const [older, newer] = await twoFences();
    const writer = await rows.writer();
    await writer.write(newer, "new");
    await writer.write(older, "elsewhere", 43);
    assert.deepEqual([await rows.body(), await rows.body(43)], ["new", "elsewhere"]);
  });

  test("the guard refuses an invalid fence or resource name with an explanation, and changes nothing [X3]", async () => {
    const writer = await rows.writer();
    const notFences = ["", "1", "1.", ".1", "a.b", "01.5", "0.5", "1.05", "1.5.0", "1.5.1.1", "-1.5", "1,5", "1e3.5"];
    const hidden = [" 1.5", "1.5 ", "1.5\n", "1.5\nx", "１.5", "1.5'; DROP TABLE docs; --", "9".repeat(30) + ".1"];
    for (const fence of [...notFences, ...hidden, null]) {
      await assert.rejects(writer.guard(path, fence), sqlState("22023", /^not a fence: ('|E'|NULL)/u));
    }
    for (const name of ["", null]) {
      await assert.rejects(writer.guard(name, "1.1"), sqlState("22023", /^not the name of a resource: (''|NULL)$/u));
    }
    await writer.guard(path, "1.1");
  });

  test("the tests of the guard have run every SQL snippet of the guide", () => {
    assert.equal(snippets.length, 4, snippets.join("\n"));
  });
});
