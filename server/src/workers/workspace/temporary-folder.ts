/**
 * The temporary folders of a worker. Each has its host and its process in its name. So the next worker of the host can remove
 * those of a process that was killed. Such a folder may have the bytes of a whole image.
 */
import { rmSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";

interface TemporaryFolder extends AsyncDisposable {
  readonly path: string;
}

const host = hostname().replaceAll(/[^A-Za-z0-9-]/gu, "-");
const start = `holdfast-work-${host}-`;

/** The folders of this process. A process that exits before their end removes them. */
const open = new Set<string>();
process.once("exit", () => {
  for (const path of open) rmSync(path, { recursive: true, force: true });
});

export async function temporaryFolder(parent = tmpdir()): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(parent, `${start}${String(process.pid)}-`));
  open.add(path);
  return {
    path,
    async [Symbol.asyncDispose]() {
      await rm(path, { recursive: true, force: true });
      open.delete(path);
    },
  };
}

/** Removes the folders of processes of this host that were killed. Returns their number. */
export async function removeOrphanedFolders(parent = tmpdir()): Promise<number> {
  let removed = 0;
  for (const name of await readdir(parent)) {
    const process = name.startsWith(start) ? /^(\d+)-/u.exec(name.slice(start.length))?.[1] : undefined;
    if (process === undefined || isRunning(Number(process))) continue;
    await rm(join(parent, name), { recursive: true, force: true });
    removed += 1;
  }
  return removed;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Another user's process runs too.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
