/** A disk of its own that can be filled up. Needs root. */
import { mkdir, rm, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { DeploymentFault } from "./deployment.ts";
import { pauseFor } from "./pause.ts";
import { spawnChildSync } from "../scenario/spawn-child.ts";

export interface SmallDisk {
  readonly folder: string;
  readonly faults: readonly DeploymentFault[];
  readonly notThere: readonly string[];
  remove(): Promise<void>;
}

const sizeMb = 256;

export async function smallDisk(folder: string): Promise<SmallDisk> {
  await mkdir(folder, { recursive: true });
  const { status, stderr } = spawnChildSync("mount", ["-t", "tmpfs", "-o", `size=${sizeMb}m`, "none", folder]);
  if (status !== 0) {
    const why = `a full disk: a separate disk cannot be mounted (${String(stderr).trim()})`;
    return { folder, faults: [], notThere: [why], remove: () => Promise.resolve() };
  }
  return {
    folder,
    faults: [fullDisk(folder)],
    notThere: [],
    async remove() {
      spawnChildSync("umount", ["--lazy", folder]);
      await Promise.resolve();
    },
  };
}

function fullDisk(folder: string): DeploymentFault {
  const ballast = join(folder, "ballast");
  return {
    name: "full disk",
    async inject(chance) {
      const { bavail, bsize } = await statfs(folder);
      // The space that is left ends in the middle of a batch.
      await writeFile(ballast, Buffer.alloc(Math.max(0, bavail * bsize - Math.floor(chance() * 40_000)))).catch(isFull);
      await pauseFor(100 + chance() * 400);
      await rm(ballast);
    },
  };
}

function isFull(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOSPC") throw error;
}
