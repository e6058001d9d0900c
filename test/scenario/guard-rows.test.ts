/** Rows outside Holdfast, in a real Postgres, guarded by the fences of a real Holdfast and by the words of the guide. */
import assert from "node:assert/strict";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { after, before, beforeEach, describe, test } from "node:test";
import { type Client, open } from "holdfast";
import { granted, lockNode, queued } from "../locks/lock-node.ts";
import { type GuardedRows, snippets, sqlState, startGuardedRows } from "./guarded-rows.ts";
import { inEmptyFolder } from "./program.ts";

const path = "doc/42";
const ttl = { ttlSeconds: 30 };
const stale = sqlState("SF001", /^the fence [\d.]+ is stale: doc\/42 has seen a later one$/u);
const quiet = { report: () => undefined };

const take = async ({ locks }: Client, ownerId: string): Promise<string> =>
  granted(await locks.acquire(path, { ...ttl, ownerId })).fence;
const giveBack = ({ locks }: Client, fence: string, ownerId: string): Promise<unknown> =>
  locks.release({ fence }, { ownerId });

/** The fences of owners who had the lock one after the other. */
async function fencesInTurn(client: Client, count: number): Promise<readonly string[]> {
  const fences: string[] = [];
  for (let turn = 0; turn < count; turn += 1) {
    const fence = await take(client, `owner ${turn}`);
    fences.push(fence);
    await giveBack(client, fence, `owner ${turn}`);
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
  // Only if it started: otherwise what is missing would be hidden behind another failure.
  after(() => (rows as GuardedRows | undefined)?.stop());

  test(
    "take the newest fence, as often as it likes, and no older one, also over a restart and a new epoch [X3]",
    inEmptyFolder(async (folder) => {
      const [writer, late] = [await rows.writer(), await rows.writer()];
      const first = await open(join(folder, "data"), quiet);
      const older = await take(first, "a");
      await writer.write(older, "by a");
      await writer.write(older, "by a again");
      await giveBack(first, older, "a");
      const newer = await take(first, "b");
      await writer.write(newer, "by b");
      await assert.rejects(late.write(older, "too late"), stale);
      await first.close();

      await cp(join(folder, "data"), join(folder, "copy"), { recursive: true });
      const second = await open(join(folder, "data"), quiet);
      await writer.write(newer, "by b, who still holds it");
      await giveBack(second, newer, "b");
      const farther = (await fencesInTurn(second, 9)).at(-1) ?? "";
      await writer.write(farther, "after the restart");
      for (const fence of [older, newer]) await assert.rejects(late.write(fence, "too late"), stale);
      await second.close();

      const copied = await open(join(folder, "copy"), quiet);
      await giveBack(copied, newer, "b");
      const ofNewEpoch = await take(copied, "c");
      const [epoch = 0, position = 0] = ofNewEpoch.split(".").map(Number);
      const [epochBefore = 0, reached = 0] = farther.split(".").map(Number);
      assert.ok(epoch > epochBefore && position < reached, `${ofNewEpoch} comes after ${farther}`);
      await writer.write(ofNewEpoch, "in the new epoch");
      for (const fence of [older, newer, farther]) await assert.rejects(late.write(fence, "too late"), stale);
      await copied.close();
      assert.equal(await rows.body(), "in the new epoch");
    }),
  );

  test("refuse whoever slept through the end of its lease, once the next one wrote or only read [X3]", async () => {
    const node = await lockNode();
    const [sleeper, next] = [await rows.writer(), await rows.writer()];
    const slept = await take(node.client, "sleeper");
    await sleeper.write(slept, "before the sleep");
    await node.clock.pass(31_000, 500);
    const fence = await take(node.client, "next");
    await sleeper.write(slept, "nobody has shown a later fence yet");
    await next.read(fence);
    await assert.rejects(sleeper.write(slept, "too late"), stale);
    assert.equal(await rows.body(), "nobody has shown a later fence yet");
    await next.write(fence, "by the next");
    await assert.rejects(sleeper.write(slept, "too late"), stale);
    assert.equal(await rows.body(), "by the next");
    await node.stop();
  });

  test("are not shut by readers, and take the next writer after a downgrade and an upgrade [X3]", async () => {
    await using client = await open({ memory: true });
    const { locks } = client;
    const writer = await rows.writer();
    const wrote = await take(client, "a");
    await writer.write(wrote, "by a");
    const asReader = (await locks.downgrade({ fence: wrote }, "read", { ownerId: "a" })).fence;
    assert.notEqual(asReader, wrote);
    const other = granted(await locks.acquire(path, { ...ttl, mode: "read", ownerId: "b" })).fence;
    await giveBack(client, other, "b");
    const upgraded = granted(await locks.upgrade({ fence: asReader }, { ownerId: "a" })).fence;
    await writer.write(upgraded, "by a, upgraded");
    // As the guide warns: a reader has no business here, its fence counts like any other.
    for (const fence of [wrote, asReader, other]) await assert.rejects(writer.write(fence, "too late"), stale);
    await giveBack(client, upgraded, "a");
    await writer.write(await take(client, "c"), "by c");
    assert.equal(await rows.body(), "by c");
  });

  test("tell fences of one entry apart, by their number and not by their letters [X3]", async () => {
    await using client = await open({ memory: true });
    const { locks } = client;
    const held = await take(client, "a");
    const owners = Array.from({ length: 12 }, (_, index) => `reader ${index}`);
    const tickets: string[] = [];
    for (const ownerId of owners) {
      tickets.push(queued(await locks.acquire(path, { ...ttl, mode: "read", wait: true, ownerId })).ticket);
    }
    await giveBack(client, held, "a");
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

  test("check and write in one step: whoever is delayed between the two makes the other one wait [X3]", async () => {
    const [older, newer] = await twoFences();
    const [slow, quick] = [await rows.writer(), await rows.writer()];
    await slow.beginWrite(older);
    const written = quick.write(newer, "by the newer");
    await rows.waits(quick, written);
    await slow.endWrite("by the older, before anybody else");
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
    const accepted = slow.write(older, "the newer one took it back");
    await rows.waits(slow, accepted);
    await quick.rollback();
    await accepted;
    assert.equal(await rows.body(), "the newer one took it back");
  });

  test("refuse a stale writer also on a snapshot from before, and say which failure may be tried again [X3]", async () => {
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

  test("end with the newest fence when many write at once, whoever comes first [X3]", async () => {
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

  test("of one resource know nothing of another's fences [X3]", async () => {
    const [older, newer] = await twoFences();
    const writer = await rows.writer();
    await writer.write(newer, "new");
    await writer.write(older, "elsewhere", 43);
    assert.deepEqual([await rows.body(), await rows.body(43)], ["new", "elsewhere"]);
  });

  test("refuse what is no fence or no name, in words, and change nothing [X3]", async () => {
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

  test("are guarded by the words of the guide, all of which ran above", () => {
    assert.equal(snippets.length, 4, snippets.join("\n"));
  });
});
