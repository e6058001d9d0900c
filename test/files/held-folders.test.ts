/** The staging folders that a root holds open, counted as the handles of this process. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { RealDisk } from "../../server/src/storage/real-disk.ts";
import { StorageRoot } from "../../server/src/storage/storage-root.ts";
import type { StagedPublish } from "../../server/src/storage/staged-publish.ts";

const handles = "/proc/self/fd";
const skip = existsSync(handles) ? false : "the system does not list the handles of a process";
const limits = { bytesMax: 1_000, filesMax: 10, fileBytesMax: 100 };
const bytes = Buffer.from("text");

interface HeldWorld {
  readonly folder: string;
  readonly root: StorageRoot;
  begin(id: string): StagedPublish;
  /** The number of open handles below the root. */
  heldCount(): number;
}

async function heldWorld(t: TestContext): Promise<HeldWorld> {
  const folder = await mkdtemp(join(tmpdir(), "holdfast-held-"));
  const disk = await RealDisk.hold(folder);
  const root = new StorageRoot({ name: "main", disk, session: "s1" });
  t.after(async () => {
    await root.close();
    await disk.close();
    await rm(folder, { recursive: true });
  });
  return {
    folder,
    root,
    begin: (id) => root.publish({ id, root: "main", target: "t" }, limits),
    heldCount: () => readdirSync(handles).filter((fd) => targetOf(fd).startsWith(`${folder}/`)).length,
  };
}

function targetOf(fd: string): string {
  try {
    return readlinkSync(join(handles, fd));
  } catch {
    // The handle of the listing itself is closed again.
    return "";
  }
}

/** Waits for handles whose close nothing waits for. A close takes a turn of the thread pool. */
async function untilHeld(world: HeldWorld, count: number): Promise<void> {
  for (let turns = 0; turns < 2_000 && world.heldCount() !== count; turns += 1) await readFile("/dev/null");
  assert.equal(world.heldCount(), count);
}

test("a publish holds its staging folder open until it ends, by a commit or without one", { skip }, async (t) => {
  const world = await heldWorld(t);
  const [done, aborted] = [world.begin("p1"), world.begin("p2")];
  for (const publish of [done, aborted]) await publish.write({ path: "a/b", offset: 0, bytes });
  assert.equal(world.heldCount(), 2);
  await done.seal();
  world.root.forget("p1");
  await untilHeld(world, 1);
  world.root.forgetEnded(() => false);
  await untilHeld(world, 0);
  assert.equal(await readFile(join(world.folder, "t", "v.p1", "a", "b"), "utf8"), "text");
});

test(
  "a part that arrives after the end of its publish is refused, and no other folder gets it [W6]",
  { skip },
  async (t) => {
    const world = await heldWorld(t);
    const ended = world.begin("p1");
    await ended.write({ path: "a", offset: 0, bytes });
    world.root.forget("p1");
    await untilHeld(world, 0);
    // The next publish gets the number of the handle that was closed.
    await world.begin("p2").write({ path: "a", offset: 0, bytes });
    await assert.rejects(ended.write({ path: "late", offset: 0, bytes }), { code: "files.publish_unknown" });
    assert.deepEqual(readdirSync(join(world.folder, "t", "tmp", "p2")), ["a"]);
  },
);

test("a root holds at most 200 folders of publishes, and further publishes work without [X15]", { skip }, async (t) => {
  const world = await heldWorld(t);
  const publishes = Array.from({ length: 230 }, (_none, index) => world.begin(`p${String(index)}`));
  for (const publish of publishes) await publish.write({ path: "a", offset: 0, bytes });
  assert.equal(world.heldCount(), 200);
  for (const publish of publishes) assert.equal((await publish.seal()).files, 1);
  await world.root.close();
  await untilHeld(world, 0);
});
