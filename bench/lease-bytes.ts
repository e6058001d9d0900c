/** What a held lease keeps in the heap of its server. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export async function leaseBytes(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-"));
  try {
    const file = join(import.meta.dirname, "lease-holder.ts");
    const child = fork(file, [join(folder, "data")], { execArgv: ["--expose-gc"] });
    const ended = once(child, "exit");
    let bytes: number | undefined;
    child.on("message", (told: number) => {
      bytes = told;
      child.disconnect();
    });
    await ended;
    if (bytes === undefined) throw new Error("the process that holds leases ended without an answer");
    return bytes;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
