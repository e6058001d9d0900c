/** Publishing on a disk that forgets what was not synced: at every call, in every state that a crash can leave. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { StorageFault } from "../../server/src/storage/storage-fault.ts";
import { counts } from "../prove/counts.ts";
import { newRows, publishAs, recover, requireAgreement, rootOn } from "./disk-world.ts";
import type { PublishMode, Rows } from "./disk-world.ts";
import { Crash, SimulatedDisk } from "./simulated-disk.ts";

const content = { "a.txt": "first file", "sub/b.txt": "second file" };
const before = { "a.txt": "the version before" };

const copyOf = ({ running, garbage, versions }: Rows): Rows => ({
  running: new Set(running),
  garbage: new Set(garbage),
  versions: new Map(versions),
});

interface World {
  readonly disk: SimulatedDisk;
  readonly rows: Rows;
}

type DiskFaults = ConstructorParameters<typeof SimulatedDisk>[0];

/** A disk with one version, and the next publish up to a crash. */
async function crashed(crashAt: number, faults: DiskFaults = {}, mode: PublishMode = {}): Promise<World | undefined> {
  const rows = newRows();
  const made = new SimulatedDisk(faults);
  await publishAs(rootOn(made), rows, "p1-1", before);
  const disk = made.reopened({ ...faults, crashAt });
  try {
    await publishAs(rootOn(disk), rows, "p1-2", content, mode);
    return undefined;
  } catch (error) {
    if (isCrash(error)) return { disk, rows };
    throw error;
  }
}

/** The storage treats an unknown error as a broken disk. */
function isCrash(error: unknown): boolean {
  return error instanceof Crash || (error instanceof StorageFault && error.data["reason"] === "an unknown error");
}

/** Every state after a crash, or an even choice of them if there are too many. */
function* statesOf(disk: SimulatedDisk): Generator<number> {
  const all = disk.crashStates;
  const step = Math.max(1, Math.floor(all / counts.crashStates));
  for (let state = 0; state < all; state += step) yield state;
}

/** Recovers each state after each crash. Returns the number of states, and throws at the first that disagrees. */
async function examineAll(faults: DiskFaults = {}, mode: PublishMode = {}): Promise<number> {
  let examined = 0;
  const examine = async ({ disk, rows }: World, what: string): Promise<void> => {
    for (const state of statesOf(disk)) {
      examined += 1;
      const [left, root] = [copyOf(rows), rootOn(disk.afterCrash(state))];
      await recover(root, left);
      await requireAgreement(root, left, `${what}, state ${String(state)}`);
    }
  };
  for (let call = 0; ; call += 1) {
    const world = await crashed(call, faults, mode);
    if (world === undefined) break;
    await examine(world, `a crash at call ${String(call)}`);
  }
  // The publish was acknowledged, and then the power failed.
  const rows = newRows();
  const disk = new SimulatedDisk(faults);
  await publishAs(rootOn(disk), rows, "p1-1", before);
  await publishAs(rootOn(disk), rows, "p1-2", content, mode);
  await examine({ disk, rows }, "a crash after the acknowledgement");
  return examined;
}

test("disk and rows agree after a crash at every call of a publish, in every state that the disk can have [W6]", async (context) => {
  const examined = await examineAll();
  assert.ok(examined > 500, `${String(examined)} states`);
  context.diagnostic(`${String(examined)} states after a crash`);
  assert.ok((await examineAll({ areWritesShort: true })) > 500);
});

test("files that a tool wrote in place are whole or absent after a crash at every call, in every state [W6]", async () => {
  assert.ok((await examineAll({}, { isInPlace: true })) > 500);
  const ignores = (call: string): boolean => /^fsync .*[ab]\.txt$/u.test(call);
  await assert.rejects(examineAll({ ignores }, { isInPlace: true }), "no sync of a file that a tool wrote");
});

test("a crash during the recovery leaves a disk that the next recovery makes agree [W6]", async () => {
  for (const at of [4, 9, 14, 18]) {
    for (let call = 0; ; call += 1) {
      const world = await crashed(at);
      assert.ok(world !== undefined);
      const disk = world.disk.afterCrash(world.disk.crashStates - 1).reopened({ crashAt: call });
      const isOver = await recover(rootOn(disk), copyOf(world.rows)).then(
        () => true,
        (error: unknown) => assert.ok(error instanceof Crash),
      );
      for (const state of statesOf(disk)) {
        const [left, root] = [copyOf(world.rows), rootOn(disk.afterCrash(state))];
        await recover(root, left);
        await requireAgreement(root, left, `a second crash at call ${String(call)}, state ${String(state)}`);
      }
      if (isOver === true) break;
    }
  }
});

test("a version that the journal has forgotten does not return after a crash [W6]", async () => {
  const rows = newRows();
  const disk = new SimulatedDisk();
  const root = rootOn(disk);
  await publishAs(root, rows, "p1-1", before);
  await publishAs(root, rows, "p1-2", content);
  assert.ok(await root.remove({ id: "p1-1", root: "main", target: "site/docs" }));
  rows.versions.delete("p1-1");
  for (const state of statesOf(disk)) {
    const [left, after] = [copyOf(rows), rootOn(disk.afterCrash(state))];
    await recover(after, left);
    await requireAgreement(after, left, `state ${String(state)}`);
    assert.equal(await after.disk.stat(".orphans"), undefined, `state ${String(state)}`);
  }
});

test("a publish without one of its syncs, or committed before its rename, is found to disagree [W6]", async () => {
  const mistakes: readonly (readonly [string, DiskFaults, boolean])[] = [
    ["no sync of a file", { ignores: (call) => /^fsync .*[ab]\.txt$/u.test(call) }, false],
    ["no sync of MANIFEST", { ignores: (call) => call.endsWith("MANIFEST") && call.startsWith("fsync") }, false],
    ["no sync of a folder in the publish", { ignores: (call) => /^fsync .*sub\/$/u.test(call) }, false],
    ["no sync of the staging folder", { ignores: (call) => /^fsync .*tmp\/p1-\d\/$/u.test(call) }, false],
    ["no sync of the target", { ignores: (call) => call === "fsync site/docs/" }, false],
    ["no sync of the folders above the target", { ignores: (call) => call === "fsync site/" }, false],
    ["a commit before the rename", {}, true],
  ];
  for (const [what, faults, isEarly] of mistakes) await assert.rejects(examineAll(faults, { isEarly }), what);
});

test("the calls of a publish are the steps 2 to 7, in that order [W6]", async () => {
  const disk = new SimulatedDisk();
  const root = rootOn(disk);
  const publish = root.publish(
    { id: "p1-1", root: "main", target: "t" },
    { bytesMax: 99, fileBytesMax: 99, filesMax: 9 },
  );
  await publish.write({ path: "sub/a", offset: 0, bytes: Buffer.from("x") });
  await publish.seal();
  assert.deepEqual(disk.calls, [
    ...["mkdir t", "fsync ./", "mkdir t/tmp", "fsync t/"],
    ...["mkdir t/tmp/p1-1", "mkdir t/tmp/p1-1/sub", "create t/tmp/p1-1/sub/a", "write t/tmp/p1-1/sub/a"],
    ...["fsync t/tmp/p1-1/sub/a", "close t/tmp/p1-1/sub/a"],
    ...["create t/tmp/p1-1/MANIFEST", "write t/tmp/p1-1/MANIFEST", "fsync t/tmp/p1-1/MANIFEST"],
    ...["close t/tmp/p1-1/MANIFEST", "fsync t/tmp/p1-1/sub/", "fsync t/tmp/p1-1/"],
    ...["rename t/tmp/p1-1 t/v.p1-1", "fsync t/", "fsync t/tmp/"],
  ]);
});

test("a call that fails at any step ends the publish with its reason, and recovery leaves nothing [W6]", async () => {
  const reasons = {
    EIO: "files.root_degraded",
    ENOSPC: "files.storage_full",
    EDQUOT: "files.storage_full",
    EMFILE: "files.storage_busy",
  };
  for (const [code, problem] of Object.entries(reasons)) {
    for (let call = 0; ; call += 1) {
      const rows = newRows();
      const disk = new SimulatedDisk({ failAt: { call, code } });
      const root = rootOn(disk);
      const fault = await publishAs(root, rows, "p1-1", content).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (fault === undefined) {
        assert.ok(call >= disk.calls.length, `${disk.calls[call] ?? ""} failed, and the publish did not`);
        break;
      }
      assert.ok(fault instanceof StorageFault);
      assert.deepEqual([fault.code, fault.degradesRoot], [problem, code === "EIO"], disk.calls.at(-1));
      const again = root.publish(
        { id: "p1-1", root: "main", target: "site/docs" },
        { bytesMax: 9, fileBytesMax: 9, filesMax: 9 },
      );
      await assert.rejects(again.seal(), StorageFault, "a failed call is never repeated");
      const after = rootOn(disk.reopened());
      await recover(after, rows);
      await requireAgreement(after, rows, `${code} at call ${String(call)}`);
    }
  }
});

test("a target on another device is refused before the rename [W6]", async () => {
  const rows = newRows();
  const disk = new SimulatedDisk({ mounts: ["site/docs/tmp"] });
  await assert.rejects(publishAs(rootOn(disk), rows, "p1-1", content), { code: "files.other_device" });
  assert.equal(
    disk.calls.some((call) => call.startsWith("rename")),
    false,
  );
});
