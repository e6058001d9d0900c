/** Publishes whose files a program on the host of the root writes itself, and the comparison of a disk with its journal. */
import assert from "node:assert/strict";
import { appendFile, link, mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { HoldfastError, open } from "holdfast";
import { verifyPublishedFiles } from "../../server/src/assembly/verify-published-files.ts";
import { adoptFolder } from "../../server/src/storage/adopt-folder.ts";
import { inEmptyFolder } from "../scenario/program.ts";
import { filesServer } from "./files-server.ts";
import { SimulatedDisk } from "./simulated-disk.ts";

async function refusalOf(refused: Promise<unknown>): Promise<readonly [string, unknown]> {
  const error = await refused.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof HoldfastError, String(error));
  return [error.code, error.data["reason"]];
}

test("a program with the root writes the files itself, and the node checks, syncs and publishes them [W6]", async () => {
  await using server = await filesServer();
  const { operator: client, root: rootFolder } = server;
  {
    // The first publish makes the root.
    await using publish = await client.files.publish("site/docs");
    await publish.commit();
  }
  await using publish = await client.files.publish("site/docs", { rootFolder });
  assert.ok(publish.folder !== undefined);
  assert.deepEqual(await refusalOf(publish.write("sent", "x")), ["files.written_in_place", undefined]);
  await mkdir(join(publish.folder, "0", "1"), { recursive: true });
  for (let number = 0; number < 40; number += 1)
    await writeFile(join(publish.folder, "0", "1", `${String(number)}.png`), "x".repeat(number));
  const { version, files, bytes } = await publish.commit();
  assert.deepEqual([version, files, bytes], [2, 40, 780]);
  assert.equal((await client.files.read("site/docs", "0/1/7.png")).byteLength, 7);
  const elsewhere = { rootFolder: join(rootFolder, "..", "elsewhere") };
  await mkdir(join(elsewhere.rootFolder, ".root"), { recursive: true });
  await writeFile(join(elsewhere.rootFolder, ".root", "id"), "another\n");
  assert.equal((await refusalOf(client.files.publish("site/docs", elsewhere)))[0], "files.root_mismatch");
  assert.deepEqual((await client.files.listPublishes()).items, []);
});

test("a folder with a link, a reserved name, a second name or too much is refused and removed [W6]", async () => {
  await using server = await filesServer();
  const { operator: client, root: rootFolder } = server;
  {
    await using publish = await client.files.publish("site/docs");
    await publish.write("a", "before");
    await publish.commit();
  }
  const outside = join(rootFolder, "..", "outside");
  await writeFile(outside, "secret");
  const hostile: readonly (readonly [string, (folder: string) => Promise<unknown>])[] = [
    ["it is a link or a special file", (folder) => symlink(outside, join(folder, "link"))],
    ["it is a link or a special file", (folder) => symlink("..", join(folder, "up"))],
    ["it has another name elsewhere", (folder) => link(outside, join(folder, "second-name"))],
    ["MANIFEST is reserved", (folder) => writeFile(join(folder, "MANIFEST"), "{}")],
    [
      "another name differs in upper and lower case only",
      async (folder) => {
        await writeFile(join(folder, "twin"), "1");
        await writeFile(join(folder, "TWIN"), "2");
      },
    ],
  ];
  for (const [reason, plant] of hostile) {
    await using publish = await client.files.publish("site/docs", { rootFolder });
    await plant(publish.folder ?? "");
    assert.deepEqual(await refusalOf(publish.commit()), ["files.folder_invalid", reason]);
  }
  // The client became an agent with its first lock, and only operators configure.
  const limits = JSON.stringify({ files_max: 2, file_bytes_max: 10 });
  await server.request("POST", "/v1/files/configure", {
    headers: { "content-type": "application/json" },
    body: limits,
  });
  const tooMuch: readonly (readonly [string, readonly string[]])[] = [
    ["files.too_large", ["x".repeat(11)]],
    ["files.too_many", ["1", "2", "3"]],
  ];
  for (const [code, texts] of tooMuch) {
    await using publish = await client.files.publish("site/docs", { rootFolder });
    for (const [index, text] of texts.entries()) await writeFile(join(publish.folder ?? "", `f${String(index)}`), text);
    assert.equal((await refusalOf(publish.commit()))[0], code);
  }
  assert.equal(Buffer.from(await client.files.read("site/docs", "a")).toString(), "before");
  assert.equal(await readFile(outside, "utf8"), "secret");
  await using restarted = await server.restarted();
  assert.deepEqual(await readdir(join(restarted.root, "site", "docs", "tmp")), []);
});

test(
  "the disk is compared with the journal: damaged, missing and unknown folders are named, also while a process runs [W6]",
  inEmptyFolder(async (data) => {
    const verified = () => verifyPublishedFiles({ data, onProgress: () => undefined });
    const root = join(data, "files");
    await using client = await open(data);
    for (const target of ["a", "b", "c"]) {
      await using publish = await client.files.publish(target);
      await publish.write("sub/file", `content of ${target}`);
      await publish.commit();
    }
    const running = await client.files.publish("d");
    await running.write("file", "unfinished");
    assert.deepEqual(await verified(), { ok: true, versions: 3, files: 3, bytes: 36, faults: [] });
    const folderOf = async (target: string): Promise<string> =>
      (await readdir(join(root, target))).find((name) => name.startsWith("v.")) ?? assert.fail(target);
    await appendFile(join(root, "a", await folderOf("a"), "sub", "file"), "!");
    await rm(join(root, "b", await folderOf("b")), { recursive: true });
    await mkdir(join(root, "e", "v.p9-9"), { recursive: true });
    const { ok, faults } = await verified();
    assert.equal(ok, false);
    assert.deepEqual(
      faults.map(({ kind, path }) => [kind, path.replace(/v\.p1-\d+/u, "v")]),
      [
        ["damaged", "a/v/sub/file"],
        ["missing", "b/v"],
        ["unknown", "e/v.p9-9"],
      ],
    );
    await running.abort();
  }),
);

test("a file that grows while it is hashed is refused [W6]", async () => {
  const disk = new SimulatedDisk();
  await disk.makeFolder("t");
  const file = await disk.createFile("t/log");
  await file.write(Buffer.from("first"), 0);
  const limits = { bytesMax: 100, fileBytesMax: 100, filesMax: 10 };
  const adopted = await adoptFolder(disk, "t", limits);
  assert.deepEqual(
    adopted.files.map(({ path, bytes }) => [path, bytes]),
    [["log", 5]],
  );
  const openFile = disk.openFile.bind(disk);
  disk.openFile = async (path) => {
    const opened = await openFile(path);
    const grow = async (): Promise<void> => {
      await file.write(Buffer.from("more"), 5);
    };
    return { ...opened, sync: grow };
  };
  await assert.rejects(adoptFolder(disk, "t", limits), { code: "files.folder_invalid" });
});
