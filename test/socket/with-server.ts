/** A server on a free port and a folder of its own, for one test. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { serve } from "../../server/src/assembly/serve.ts";
import type { RunningServer } from "../../server/src/assembly/serve.ts";

/** A folder that is removed after the test. */
export async function folderFor(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "holdfast-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A server that is closed after the test, unless the test closes it. */
export async function serverFor(t: TestContext, data?: string): Promise<RunningServer> {
  const folder = data ?? join(await folderFor(t), ".holdfast");
  const serving = await serve({ data: folder, host: "127.0.0.1", port: 0 });
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => (closed ??= serving.close());
  t.after(close);
  return { ...serving, close };
}
