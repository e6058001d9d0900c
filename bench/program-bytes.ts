/** The bytes that a node of a program occupies in the heap of its server. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { childAnswer } from "./processes/child-answer.ts";

export async function programBytes(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-"));
  try {
    return await childAnswer("program-holder.ts", [join(folder, "data")], ["--expose-gc"]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
