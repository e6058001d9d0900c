/**
 * Published files on real kernels and devices. The order of system calls by strace, a power cut, a failing disk, a full
 * disk, another device. It needs root, loop devices and strace, and fails with what is missing.
 */
import assert from "node:assert/strict";
import { copyFile, mkdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { test } from "node:test";
import { open } from "holdfast";
import type { Client } from "holdfast";
import { RealDisk } from "../../server/src/storage/real-disk.ts";
import { StorageFault } from "../../server/src/storage/storage-fault.ts";
import { StorageRoot } from "../../server/src/storage/storage-root.ts";
import { ensureProgram } from "../scenario/debian-package.ts";
import { inEmptyFolder } from "../scenario/program.ts";
import { execChild } from "../scenario/spawn-child.ts";

async function asRoot(program: string, ...args: readonly string[]): Promise<string> {
  if (process.getuid?.() !== 0) throw new Error(`this proof needs root, to run ${program}`);
  return (await execChild(program, args)).stdout;
}

/** Mounts something at a new folder until the end of the scope. */
async function mounted(folder: string, ...args: readonly string[]): Promise<AsyncDisposable> {
  await mkdir(folder, { recursive: true });
  await asRoot("mount", ...args, folder);
  return {
    async [Symbol.asyncDispose]() {
      await asRoot("umount", "--lazy", folder);
    },
  };
}

async function makeImage(image: string, megabytes: number): Promise<void> {
  await asRoot("truncate", "--size", `${String(megabytes)}M`, image);
  await asRoot("mkfs.ext4", "-q", "-F", image);
}

async function publish(client: Client, text: string): Promise<void> {
  await using publishing = await client.files.publish("site/docs");
  await publishing.write("a.txt", text);
  await publishing.commit();
}

/** The calls of a trace between the two marks, as step and last name. Equal neighbours are one. */
function tracedSteps(trace: string): readonly string[] {
  const traced = trace.slice(trace.indexOf("mark-begin"), trace.indexOf("mark-end"));
  const steps = traced.split("\n").flatMap((line) => {
    const made = /(?:mkdir|openat)\(.*"([^"]+)", (?:0700|O_WRONLY\|O_CREAT\|O_EXCL\|O_NOFOLLOW)/u.exec(line)?.[1];
    if (made !== undefined) return [`${line.includes("mkdir(") ? "mkdir" : "create"} ${basename(made)}`];
    const [, call, path = ""] = /(fsync|fdatasync|pwrite64)\(\d+<([^>]+)>/u.exec(line) ?? [];
    if (path.includes("journal.db")) return ["journal"];
    if (call !== undefined && path.includes("/files/"))
      return [`${call === "pwrite64" ? "write" : "fsync"} ${basename(path)}`];
    const [, from, to] = /rename\("([^"]+)", "([^"]+)"/u.exec(line) ?? [];
    return from === undefined || to === undefined ? [] : [`rename ${basename(from)} ${basename(to)}`];
  });
  return steps.filter((step, index) => step !== steps[index - 1]);
}

test(
  "strace shows the system calls of a publish in the order of the ten steps, between two syncs of the journal [W6]",
  inEmptyFolder(async (folder) => {
    ensureProgram("strace", "strace");
    const trace = join(folder, "trace");
    const calls = "trace=mkdir,openat,pwrite64,fsync,fdatasync,rename,renameat,renameat2";
    const child = [process.execPath, join(import.meta.dirname, "trace-child.ts"), join(folder, "data")];
    await execChild("strace", ["-f", "-y", "-s", "0", "-e", calls, "-o", trace, ...child]);
    const steps = tracedSteps(await readFile(trace, "utf8"));
    const id = steps.find((step) => step.startsWith("mkdir p"))?.slice("mkdir ".length) ?? "";
    assert.deepEqual(steps, [
      ...["journal", `mkdir ${id}`, "create a.txt", "write a.txt", "fsync a.txt"],
      ...["mkdir sub", "create b.txt", "write b.txt", "fsync b.txt"],
      ...["create MANIFEST", "write MANIFEST", "fsync MANIFEST", "fsync sub", `fsync ${id}`],
      ...[`rename ${id} v.${id}`, "fsync docs", "fsync tmp", "journal"],
    ]);
  }),
);

test(
  "a power cut after a publish was acknowledged leaves it whole, and an unfinished one leaves nothing [W6]",
  inEmptyFolder(async (folder) => {
    const image = join(folder, "disk.img");
    await makeImage(image, 64);
    await using _disk = await mounted(join(folder, "disk"), "-o", "loop", image);
    await using client = await open(join(folder, "disk", "data"));
    for (let number = 1; number <= 5; number += 1) {
      await publish(client, `version ${String(number)}`);
      await using unfinished = await client.files.publish("site/other");
      await unfinished.write("a.txt", "unfinished");
      // The image has what the file system has sent to its device, and nothing of its memory.
      const copy = join(folder, `cut-${String(number)}.img`);
      await copyFile(image, copy);
      await using _cut = await mounted(join(folder, `cut-${String(number)}`), "-o", "loop", copy);
      await using after = await open(join(folder, `cut-${String(number)}`, "data"));
      assert.equal((await after.files.get("site/docs")).version, number);
      assert.equal(Buffer.from(await after.files.read("site/docs", "a.txt")).toString(), `version ${String(number)}`);
      assert.deepEqual((await after.files.listPublishes()).items, []);
      assert.deepEqual(
        (await after.files.listTargets()).items.map(({ target }) => target),
        ["site/docs"],
      );
    }
  }),
);

test(
  "a device that fails to write ends the publish, degrades the root, and published versions stay readable [W6]",
  inEmptyFolder(async (folder) => {
    // The image is sparse and its disk is too small for it, so the device reports an error at a sync.
    await using _small = await mounted(join(folder, "small"), "-t", "tmpfs", "-o", "size=12m", "tmpfs");
    const image = join(folder, "small", "disk.img");
    await makeImage(image, 64);
    await using _disk = await mounted(join(folder, "disk"), "-o", "loop", image);
    await using client = await open(join(folder, "data"), { storageRoots: { main: join(folder, "disk", "root") } });
    await publish(client, "before");
    await using broken = await client.files.publish("site/docs");
    const part = Buffer.alloc(4 * 1024 * 1024, "x");
    const failure = await (async () => {
      for (let number = 0; number < 12; number += 1) await broken.write(`big-${String(number)}`, part);
      return broken.commit();
    })().then(
      () => undefined,
      (error: unknown) => (error as { readonly code?: string }).code,
    );
    assert.equal(failure, "files.root_degraded");
    await broken.abort();
    await assert.rejects(client.files.publish("site/docs"), { code: "files.root_degraded" });
    assert.equal(Buffer.from(await client.files.read("site/docs", "a.txt")).toString(), "before");
  }),
);

test(
  "a full disk ends the publish with its reason, and the version before stays whole [W6]",
  inEmptyFolder(async (folder) => {
    await using _full = await mounted(join(folder, "full"), "-t", "tmpfs", "-o", "size=4m", "tmpfs");
    const root = new StorageRoot({ name: "main", session: "s", disk: new RealDisk(join(folder, "full")) });
    const limits = { bytesMax: 1e9, fileBytesMax: 1e9, filesMax: 100 };
    const kept = { id: "p1-1", root: "main", target: "t" };
    const first = root.publish(kept, limits);
    await first.write({ path: "a", offset: 0, bytes: Buffer.from("kept") });
    const { digest } = await first.seal();
    const second = root.publish({ ...kept, id: "p1-2" }, limits);
    const write = second.write({ path: "a", offset: 0, bytes: Buffer.alloc(8 * 1024 * 1024) });
    await assert.rejects(
      write,
      (error) =>
        error instanceof StorageFault && error.code === "files.storage_full" && error.data["reason"] === "ENOSPC",
    );
    assert.ok(await root.remove({ ...kept, id: "p1-2" }));
    assert.equal((await root.manifest({ ...kept, digest })).files.length, 1);
    const third = root.publish({ ...kept, id: "p1-3" }, limits);
    await third.write({ path: "a", offset: 0, bytes: Buffer.from("there is room again") });
    await third.seal();
  }),
);

test(
  "a publish whose staging folder is on another device is refused before its rename [W6]",
  inEmptyFolder(async (folder) => {
    const data = join(folder, "data");
    await using client = await open(data);
    await publish(client, "before");
    const staging = join(data, "files", "site", "docs", "tmp");
    await using _other = await mounted(staging, "-t", "tmpfs", "-o", "size=4m,mode=700", "tmpfs");
    await assert.rejects(publish(client, "after"), { code: "files.other_device" });
    assert.equal(Buffer.from(await client.files.read("site/docs", "a.txt")).toString(), "before");
  }),
);
