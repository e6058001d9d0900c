/** Backups and restores with published files. */
import assert from "node:assert/strict";
import { cp, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { open } from "holdfast";
import type { Client } from "holdfast";
import { backUpData, restoreData } from "../../server/src/assembly/upkeep.ts";
import { counts } from "../prove/counts.ts";
import { failure } from "../conformance/sqlite-folder.ts";
import { inEmptyFolder, startProgram } from "../scenario/program.ts";

const content = { "a.txt": "first", "sub/deep/b.txt": "second", empty: "" };

async function publish(client: Client, files: Readonly<Record<string, string>>, target = "site/docs"): Promise<void> {
  await using publishing = await client.files.publish(target);
  for (const [path, text] of Object.entries(files)) await publishing.write(path, text);
  await publishing.commit();
}

/** Two versions of one target, one of another, and a publish that has not ended. */
async function fill(data: string): Promise<void> {
  await using client = await open(data);
  await publish(client, content);
  await publish(client, { ...content, "a.txt": "changed" });
  await publish(client, { big: "x".repeat(700_000) }, "site/other");
  const running = await client.files.publish("site/running");
  await running.write("a", "unfinished");
}

/** Every version in the state of a folder, with its bytes. */
async function readAll(data: string): Promise<Readonly<Record<string, string>>> {
  await using client = await open(data);
  const found: Record<string, string> = {};
  for (const { target } of (await client.files.listTargets()).items)
    for (const { version } of (await client.files.listVersions(target)).items)
      for (const { path } of (await client.files.list(target, { version })).items)
        found[`${target} ${String(version)} ${path}`] = Buffer.from(
          await client.files.read(target, path, { version }),
        ).toString();
  assert.deepEqual((await client.files.listPublishes()).items, []);
  return found;
}

test(
  "a backup of a running process has every version that its journal names, and a restore makes them whole again [W6 X1]",
  inEmptyFolder(async (folder) => {
    const [data, saved, second] = ["data", "saved", "second"].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    await fill(data);
    {
      await using client = await open(data);
      const { files } = await backUpData({ from: data, to: saved });
      assert.deepEqual([files?.versions, files?.bytes], [3, 700_024]);
      await publish(client, { later: "not in the backup" });
    }
    assert.deepEqual((await readdir(join(saved, "roots", "main", "site"))).toSorted(), ["docs", "other"]);
    assert.equal((await restoreData({ from: saved, to: second })).files?.versions, 3);
    const restored = await readAll(second);
    assert.equal(Object.keys(restored).length, 7);
    assert.deepEqual(
      [restored["site/docs 1 a.txt"], restored["site/docs 2 a.txt"], restored["site/docs 2 sub/deep/b.txt"]],
      ["first", "changed", "second"],
    );
    await using client = await open(second);
    await publish(client, { next: "after the restore" });
    assert.equal((await client.files.get("site/docs")).version, 3);
  }),
);

test(
  "without files a backup has the journal alone, and its restore needs the same option",
  inEmptyFolder(async (folder) => {
    const [data, saved, second] = [join(folder, "data"), join(folder, "saved"), join(folder, "second")];
    await fill(data);
    assert.equal((await backUpData({ from: data, to: saved, withoutFiles: true })).files, undefined);
    assert.deepEqual(await readdir(saved), ["journal.db"]);
    await assert.rejects(restoreData({ from: saved, to: second }), failure("invalid", { says: /--without-files/u }));
    await restoreData({ from: saved, to: second, withoutFiles: true });
    await cp(join(data, "files"), join(second, "files"), { recursive: true });
    assert.equal(Object.keys(await readAll(second)).length, 7);
  }),
);

test(
  "roots outside the data folder are copied by their names, and a whole root that survived is kept",
  inEmptyFolder(async (folder) => {
    const [data, saved, second] = [join(folder, "data"), join(folder, "saved"), join(folder, "second")];
    const storageRoots = { fast: join(folder, "fast"), slow: join(folder, "slow") };
    {
      await using client = await open(data, { storageRoots });
      for (const root of ["fast", "slow"]) {
        await using publishing = await client.files.publish(`of/${root}`, { root });
        await publishing.write("a", root);
        await publishing.commit();
      }
    }
    await assert.rejects(backUpData({ from: data, to: saved }), failure("invalid", { says: /--storage-roots fast=/u }));
    await backUpData({ from: data, to: saved, storageRoots });
    await rm(storageRoots.fast, { recursive: true });
    const ids = await readFile(join(storageRoots.slow, ".root", "id"), "utf8");
    await restoreData({ from: saved, to: second, storageRoots });
    assert.equal(await readFile(join(storageRoots.slow, ".root", "id"), "utf8"), ids);
    await using client = await open(second, { storageRoots });
    for (const root of ["fast", "slow"])
      assert.equal(Buffer.from(await client.files.read(`of/${root}`, "a")).toString(), root);
  }),
);

test(
  "a backup copies the journal again if the server removes a version meanwhile, and reports one that is lost",
  inEmptyFolder(async (folder) => {
    const [data, saved] = [join(folder, "data"), join(folder, "saved")];
    await fill(data);
    await using client = await open(data);
    let isFirst = true;
    const removeMeanwhile = async (): Promise<void> => {
      if (!isFirst) return;
      isFirst = false;
      await using lock = await client.acquire("site/docs");
      assert.equal((await client.files.delete("site/docs", lock.fence)).versions, 2);
      await rm(join(data, "files", "site", "docs"), { recursive: true });
    };
    const { files } = await backUpData({ from: data, to: saved, yieldToLoop: removeMeanwhile });
    assert.deepEqual([isFirst, files?.versions], [false, 1]);
    assert.deepEqual(await readdir(join(saved, "roots", "main", "site")), ["other"]);
    await rm(join(data, "files", "site", "other"), { recursive: true });
    await assert.rejects(backUpData({ from: data, to: `${saved}-2` }), failure("damaged", { says: /is missing/u }));
    assert.deepEqual((await readdir(folder)).toSorted(), ["data", "saved"]);
  }),
);

async function folderOfFirst(data: string): Promise<string> {
  const names = (await readdir(join(data, "files", "site", "docs"))).filter((name) => name.startsWith("v."));
  return names.toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1))[0] ?? "";
}

test(
  "a restore that is killed at any moment leaves no folder of that name, and the next one is equal to the backup [W6 X1]",
  { timeout: 600_000 },
  inEmptyFolder(async (folder) => {
    const [data, saved] = [join(folder, "data"), join(folder, "saved")];
    await fill(data);
    await backUpData({ from: data, to: saved });
    const expected = await readAll(data);
    const restore = (to: string, killAt: string, roots: readonly string[]) =>
      startProgram(join(import.meta.dirname, "restore-child.ts"), [saved, to, killAt, ...roots]).ended;
    const { lines } = await restore(join(folder, "whole"), "never", []);
    const callCount = Number.parseInt(lines.join(), 10);
    assert.ok(callCount > counts.restoreKills, lines.join());
    for (let round = 0; round < counts.restoreKills; round += 1) {
      const target = join(folder, `restored-${String(round)}`);
      const roots = round % 2 === 0 ? [] : [join(folder, `root-${String(round)}`)];
      // Spread over all calls, the last one included.
      const killAt = Math.floor(((round + 1) * callCount) / counts.restoreKills) - 1;
      assert.equal((await restore(target, String(killAt), roots)).signal, "SIGKILL");
      assert.equal((await readdir(folder)).includes(`restored-${String(round)}`), false);
      const storageRoots = roots[0] === undefined ? undefined : { main: roots[0] };
      await restoreData({ from: saved, to: target, storageRoots });
      if (roots[0] !== undefined) await rename(roots[0], join(target, "files"));
      assert.deepEqual(await readAll(target), expected);
    }
  }),
);

test(
  "a hostile backup restores nothing outside, and no link, twin or longer file is accepted [X14]",
  inEmptyFolder(async (folder) => {
    const [data, saved] = [join(folder, "data"), join(folder, "saved")];
    await fill(data);
    const victim = join(folder, "victim");
    await writeFile(victim, "mine");
    const version = join("roots", "main", "site", "docs", await folderOfFirst(data));
    const attacks: Readonly<Record<string, (backup: string) => Promise<void>>> = {
      "a link in place of a file": async (backup) => {
        await rm(join(backup, version, "a.txt"));
        await symlink(victim, join(backup, version, "a.txt"));
      },
      "a link in place of a folder": async (backup) => {
        await rm(join(backup, version, "sub"), { recursive: true });
        await symlink(folder, join(backup, version, "sub"));
      },
      "a link in place of a version": async (backup) => {
        await rename(join(backup, version), join(folder, "moved"));
        await symlink(join(folder, "moved"), join(backup, version));
      },
      "a longer file": (backup) => writeFile(join(backup, version, "a.txt"), "first and more"),
      "another file of the same size": (backup) => writeFile(join(backup, version, "a.txt"), "FIRST"),
      "another list of files": (backup) => writeFile(join(backup, version, "MANIFEST"), ""),
      "no version": (backup) => rm(join(backup, version), { recursive: true }),
    };
    for (const [what, attack] of Object.entries(attacks)) {
      await rm(saved, { recursive: true, force: true });
      await rm(join(folder, "moved"), { recursive: true, force: true });
      await backUpData({ from: data, to: saved });
      await attack(saved);
      await assert.rejects(restoreData({ from: saved, to: join(folder, "new") }), failure("damaged"), what);
      assert.equal(
        (await readdir(folder)).some((name) => name.startsWith("new")),
        false,
        what,
      );
    }
    assert.equal(await readFile(victim, "utf8"), "mine");
  }),
);
