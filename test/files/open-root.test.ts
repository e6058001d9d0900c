/** The folder of a storage root: refused file systems, a full disk, and a folder that is replaced. */
import assert from "node:assert/strict";
import { mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { HoldfastError } from "holdfast";
import { ServiceKeeper } from "../../server/src/services/service-keeper.ts";
import { openRoot } from "../../server/src/storage/open-root.ts";
import { spaceFault } from "../../server/src/app/packs/files/space-fault.ts";
import type { StorageRoot } from "../../server/src/storage/storage-root.ts";
import { startNode } from "../engine/start-node.ts";
import { temporaryRoot } from "../observe/temporary-root.ts";
import { filesServer } from "./files-server.ts";

const codeOf = (refused: Promise<unknown>): Promise<string> =>
  refused.then(
    () => "done",
    (error: unknown) => (error as HoldfastError).code,
  );

test("a root on a file system of the network or of a user's program is refused, unless it is allowed", async () => {
  const folder = await mkdtemp(join(tmpdir(), "holdfast-root-"));
  const open = (type: number, allowsNetwork: boolean) =>
    openRoot({ folder, newId: "r1", own: () => () => undefined, allowsNetwork, typeOf: () => Promise.resolve(type) });
  try {
    // NFS, CIFS as a signed number, FUSE and 9P.
    for (const type of [0x6969, 0xff534d42 | 0, 0x65735546, 0x01021997]) {
      await assert.rejects(open(type, false), /allow_network_root/u, String(type));
      assert.equal((await open(type, true)).rootId, "r1");
    }
    // ext4 and tmpfs.
    for (const type of [0xef53, 0x01021994]) assert.equal((await open(type, false)).rootId, "r1");
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("a publish whose bytes do not fit on the disk is refused before it begins, and a twentieth of the disk stays free", async () => {
  await using server = await filesServer();
  const { files } = server.operator;
  assert.equal(await codeOf(files.publish("site/docs", { bytesMax: 2 ** 52 })), "files.storage_full");
  assert.deepEqual((await files.listPublishes()).items, []);
  const rootWith = (freeBytes: number): StorageRoot =>
    ({ name: "main", disk: { space: () => Promise.resolve({ freeBytes, totalBytes: 1_000 }) } }) as never;
  assert.equal(await spaceFault(rootWith(150), 100), undefined);
  assert.equal((await spaceFault(rootWith(149), 100))?.code, "files.storage_full");
});

test("a root whose folder is replaced is closed and reported, its publishes reach no other folder, and it is opened again [W6 W11]", async () => {
  await using root = await temporaryRoot();
  await using other = await temporaryRoot("other");
  const { services, client, clock } = await startNode();
  const reports: string[] = [];
  const keeper = new ServiceKeeper([root.service, other.service], {
    services,
    report: (text) => void reports.push(text),
  });
  await keeper.start();
  const status = () => keeper.status()["storage-root main"];
  /** The disk takes real time, and the service checks the folder at intervals of the moved clock. */
  const becomes = async (isReady: boolean): Promise<void> => {
    for (let tries = 0; tries < 2_000 && status()?.ready !== isReady; tries += 1) await clock.pass(1_000, 1_000);
    assert.equal(status()?.ready, isReady);
  };
  const publish = async (name: string, text: string): Promise<number> => {
    await using publishing = await client.files.publish("t", { root: name });
    await publishing.write("a", text);
    return (await publishing.commit()).version;
  };
  try {
    assert.equal(await publish("main", "one"), 1);
    const aside = `${root.folder}.aside`;
    const running = await client.files.publish("u", { root: "main" });
    await running.write("a", "x");
    const ofOther = await client.files.publish("w", { root: "other" });
    await rename(root.folder, aside);
    await (
      await temporaryFolder(root.folder)
    )();
    await running.write("b", "y");
    await running.commit();
    assert.equal(Buffer.from(await client.files.read("u", "b")).toString(), "y", "the folder is held open");
    await becomes(false);
    assert.match(reports.join("\n"), /storage-root main failed/u);
    assert.equal(await codeOf(client.files.publish("t", { root: "main" })), "files.root_unavailable");
    assert.equal(await codeOf(client.files.read("t", "a")), "files.root_unavailable");
    await ofOther.write("a", "x");
    await ofOther.commit();
    await rm(root.folder, { recursive: true });
    await rename(aside, root.folder);
    await becomes(true);
    assert.equal(Buffer.from(await client.files.read("u", "b")).toString(), "y");
    assert.equal(await publish("main", "two"), 2);
    assert.ok((status()?.restarts ?? 0) > 0);
  } finally {
    await keeper.stop();
    await client.close();
  }
});

/** Makes a folder like one that was mounted by mistake. */
async function temporaryFolder(path: string): Promise<() => Promise<void>> {
  const made = await mkdtemp(join(tmpdir(), "holdfast-wrong-"));
  return () => rename(made, path);
}
