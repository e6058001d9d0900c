/**
 * Publishes all records and files of a project. `records.ndjson` has a record in each line. `files/<number>/` has the current
 * version of a target. `backup.json` has the digest of the records and the list of the targets.
 */
import { defined } from "@holdfast/sdk/base/defined";
import { createHash } from "node:crypto";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { fetchFile, filesOf } from "./fetch-file.ts";
import { recordsOf } from "./list-pages.ts";
import { temporaryFolder } from "./workspace-job.ts";
import type { WorkspaceJob } from "./workspace-job.ts";

export const backupNames = { about: "backup.json", records: "records.ndjson", files: "files" } as const;

/** The number of the format, in case of a later one. */
export const backupFormat = 1;

/** A target of the project in a backup. */
export interface BackedUpTarget {
  readonly target: string;
  /** The folder of its files in the backup. */
  readonly folder: string;
  readonly digest: string;
  readonly meta?: Readonly<Record<string, unknown>>;
  readonly files: readonly { readonly path: string; readonly bytes: number; readonly sha256: string }[];
}

export interface BackupFile {
  readonly format: typeof backupFormat;
  readonly project: string;
  readonly records: { readonly count: number; readonly sha256: string };
  readonly targets: readonly BackedUpTarget[];
}

type Publish = Awaited<ReturnType<WorkspaceJob["client"]["files"]["publish"]>>;

interface BackupResult {
  readonly target: string;
  readonly records: number;
  readonly files: number;
}

export async function backup(job: WorkspaceJob): Promise<BackupResult> {
  const { payload, client, fence, id } = job;
  const { project, root } = payload;
  const target = `backup/${project}/${id}`;
  await using temporary = await temporaryFolder();
  await using publish = await client.files.publish(target, { fence, ...defined({ root }) });
  const records = await backUpRecords(job, publish, join(temporary.path, "records"));
  job.progress(30, `${String(records.count)} records`);
  const targets: BackedUpTarget[] = [];
  for await (const found of targetsOf(job, `project/${project}`)) {
    const folder = `${backupNames.files}/${String(targets.length)}`;
    targets.push(await backUpTarget(job, publish, { ...found, folder, file: join(temporary.path, "file") }));
    job.progress(30, `${String(targets.length)} targets`);
  }
  const about: BackupFile = { format: backupFormat, project, records, targets };
  await publish.write(backupNames.about, `${JSON.stringify(about)}\n`);
  const files = targets.reduce((sum, each) => sum + each.files.length, 0);
  await publish.commit({ meta: { project, records: records.count, files, targets: targets.length } });
  return { target, records: records.count, files };
}

async function backUpRecords(job: WorkspaceJob, publish: Publish, file: string): Promise<BackupFile["records"]> {
  const hash = createHash("sha256");
  let count = 0;
  {
    await using handle = await open(file, "wx", 0o600);
    for await (const { type, id, value } of recordsOf(job)) {
      const line = `${JSON.stringify({ type, id, value })}\n`;
      hash.update(line);
      await handle.writeFile(line);
      count += 1;
    }
  }
  await publish.write(backupNames.records, chunksOf(file));
  return { count, sha256: hash.digest("hex") };
}

type FoundTarget = Awaited<ReturnType<WorkspaceJob["client"]["files"]["listTargets"]>>["items"][number];

/** The targets of the project with their current versions. */
export async function* targetsOf(
  { client, fence }: WorkspaceJob,
  under: string,
): AsyncGenerator<FoundTarget, void, undefined> {
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof client.files.listTargets>> = await client.files.listTargets({
      ...{ under, fence, limit: 1_000 },
      ...defined({ after: after ?? undefined }),
    });
    yield* page.items;
    after = page.next;
  } while (after !== null);
}

async function backUpTarget(
  job: WorkspaceJob,
  publish: Publish,
  { target, version, digest, meta, folder, file }: FoundTarget & { readonly folder: string; readonly file: string },
): Promise<BackedUpTarget> {
  const files: { path: string; bytes: number; sha256: string }[] = [];
  for await (const { path, bytes, sha256 } of filesOf(job, target, version)) {
    const fetched = await fetchFile(job, { target, version, path }, { to: file, bytesMax: Number.MAX_SAFE_INTEGER });
    if (fetched.sha256 !== sha256) throw new Error(`${path} of ${target} is damaged`);
    await publish.write(`${folder}/${path}`, chunksOf(file));
    await rm(file);
    files.push({ path, bytes, sha256 });
  }
  return { target, folder, digest, files, ...defined({ meta }) };
}

async function* chunksOf(file: string): AsyncGenerator<Uint8Array, void, undefined> {
  const handle = await open(file);
  yield* handle.createReadStream() as AsyncIterable<Uint8Array>;
}
