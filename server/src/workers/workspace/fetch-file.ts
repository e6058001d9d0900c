/** Reads published files of a job into a file of this host, and checks every byte. */
import { defined } from "@holdfast/sdk/base/defined";
import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import type { WorkspaceJob } from "./workspace-job.ts";
import { WorkInputFault } from "./workspace-job.ts";

interface PublishedFile {
  readonly target: string;
  readonly version: number;
  readonly path: string;
}

interface FetchedFile {
  readonly bytes: number;
  readonly sha256: string;
}

/** Writes a published file to a new file. A file that is larger than the limit is not read to its end. */
export async function fetchFile(
  job: WorkspaceJob,
  { target, version, path }: PublishedFile,
  { to, bytesMax }: { readonly to: string; readonly bytesMax: number },
): Promise<FetchedFile> {
  const { client, fence, signal } = job;
  const stream = await client.files.open(target, path, { version, fence, signal });
  if (stream.length > bytesMax) throw new WorkInputFault(`${path} has more than ${String(bytesMax)} bytes`);
  const hash = createHash("sha256");
  let bytes = 0;
  await using file = await open(to, "wx", 0o600);
  for await (const chunk of stream.open()) {
    signal.throwIfAborted();
    hash.update(chunk);
    bytes += chunk.byteLength;
    await file.writeFile(chunk);
  }
  const sha256 = hash.digest("hex");
  if (bytes !== stream.length || sha256 !== stream.etag) throw new Error(`${path} of ${target} arrived damaged`);
  return { bytes, sha256 };
}

interface ListedFile {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** The files of a version, in pages. */
export async function* filesOf(
  { client, fence }: WorkspaceJob,
  target: string,
  version: number,
): AsyncGenerator<ListedFile, void, undefined> {
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof client.files.list>> = await client.files.list(target, {
      ...{ version, fence, limit: 1_000 },
      ...defined({ after: after ?? undefined }),
    });
    yield* page.items;
    after = page.next;
  } while (after !== null);
}
