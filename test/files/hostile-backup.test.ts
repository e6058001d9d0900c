/** Backups whose journal and files were both made by an attacker: chain and digests are right, names are not. */
import assert from "node:assert/strict";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { restoreData } from "../../server/src/assembly/upkeep.ts";
import { sha256Of } from "../../server/src/storage/manifest.ts";
import { appendSample } from "../conformance/sample-entries.ts";
import { failure, openFolder } from "../conformance/sqlite-folder.ts";
import { inEmptyFolder } from "../scenario/program.ts";

interface ForgedVersion {
  readonly target?: string;
  readonly id?: string;
  readonly root?: string;
  readonly rootId?: string;
  readonly digest?: string;
  /** The lines of MANIFEST. */
  readonly lines: readonly unknown[];
  readonly files?: number;
  readonly bytes?: number;
}

const line = (path: unknown, text = "x"): unknown => ({
  path,
  bytes: text.length,
  sha256: sha256Of(Buffer.from(text)),
});

/** A backup with one version as the attacker wants it, and the files that its MANIFEST could mean. */
async function forge(backup: string, forged: ForgedVersion): Promise<void> {
  const { target = "t", id = "p1-1", root = "main", rootId = "abc", lines } = forged;
  const manifest = Buffer.from(
    lines.map((each) => `${typeof each === "string" ? each : JSON.stringify(each)}\n`).join(""),
  );
  const { digest = sha256Of(manifest), files = lines.length, bytes = lines.length } = forged;
  const journal = await openFolder(backup);
  const announced = {
    type: "files.root_announced",
    subject: "root",
    data: { root, root_id: rootId, session: "s", node: "n" },
  };
  const data = { id, version: 1, root, files, bytes, digest, collect_at: 0 };
  const events = [announced, { type: "files.committed", subject: `file/${target}`, data }];
  await appendSample(journal, 1, () => ({ events }));
  await journal.close();
  const folder = join(backup, "roots", root, target, `v.${id}`);
  for (const each of lines) {
    const { path } = (typeof each === "object" ? each : {}) as { readonly path?: unknown };
    if (typeof path !== "string" || path.includes("\0") || path === "") continue;
    const file = join(folder, path);
    // An attacker cannot make some of these files either, such as one that is a folder too.
    await mkdir(dirname(file), { recursive: true }).catch(() => undefined);
    await writeFile(file, "x").catch(() => undefined);
  }
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "MANIFEST"), manifest);
}

/** Everything in a folder but the files of a reader of the journal. */
async function namesIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder, { recursive: true });
  return names.filter((name) => !/-(?:shm|wal)$/u.test(name)).toSorted();
}

const attacks: Readonly<Record<string, ForgedVersion>> = {
  "a target that leads outside": { target: "../../outside", lines: [line("a")] },
  "a target with an absolute path": { target: "/outside", lines: [line("a")] },
  "a target with a reserved name": { target: "t/tmp", lines: [line("a")] },
  "an id that leads outside": { id: "p1-1/../../outside", lines: [line("a")] },
  "a root that leads outside": { root: "../outside", lines: [line("a")] },
  "an id of the root with lines": { rootId: "abc\nother", lines: [line("a")] },
  "a digest that is not valid": { digest: "../x", lines: [line("a")] },
  "a file that leads outside": { lines: [line("../../../../outside")] },
  "a file with an absolute path": { lines: [line("/outside")] },
  "a file with empty names": { lines: [line("a//b")] },
  "a file that is named MANIFEST": { lines: [line("MANIFEST")] },
  "a file name that is not text": { lines: [line(7)] },
  "a file name that is not in the form NFC": { lines: [line("e\u0301")] },
  "twins by case": { lines: [line("a"), line("A")] },
  "twins that are equal": { lines: [line("a"), line("a")] },
  "a file that is a folder too": { lines: [line("a"), line("a/b")] },
  "a folder that is a twin": { lines: [line("sub/a"), line("SUB/b")] },
  "a size that is negative": { lines: [{ path: "a", bytes: -1, sha256: "" }] },
  "a size that is not one": { lines: [{ path: "a", bytes: "1e9", sha256: "" }] },
  "a line that is not JSON": { lines: ["{"] },
  "a line that is null": { lines: ["null"] },
  "more files than the journal says": { lines: [line("a"), line("b")], files: 1 },
  "more bytes than the journal says": { lines: [line("a")], bytes: 9 },
};

test(
  "a restore refuses every name in a forged backup that a publish could not have made, and leaves nothing [X14]",
  inEmptyFolder(async (folder) => {
    const inner = join(folder, "a", "b");
    await mkdir(inner, { recursive: true });
    let number = 0;
    for (const [what, forged] of Object.entries(attacks)) {
      number += 1;
      const backup = join(inner, `backup-${String(number)}`);
      await forge(backup, forged);
      const before = await namesIn(inner);
      const restored = restoreData({ from: backup, to: join(inner, "new") });
      await assert.rejects(restored, failure("damaged"), what);
      assert.deepEqual(await namesIn(inner), before, what);
    }
    const honest = join(inner, "honest");
    await forge(honest, { lines: [line("a"), line("sub/b")] });
    assert.equal((await restoreData({ from: honest, to: join(inner, "new") })).files?.versions, 1);
  }),
);
