/**
 * Publishes all records and files of a project. `records.ndjson` has a record in each line. `files/<number>/` has the current
 * version of a target. `backup.json` has the digest of the records and the list of the targets.
 */
import { defined } from "@holdfast/sdk/base/defined";
import { createHash } from "node:crypto";
import { open, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { fetchFile, filesOf } from "./fetch-file.ts";
import { recordsOf } from "./list-pages.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { publishTerms, WorkInputFault } from "./workspace-job.ts";
import type { WorkspaceJob } from "./workspace-job.ts";

export const backupNames = { about: "backup.json", records: "records.ndjson", files: "files" } as const;

/** The number of the format, in case of a later one. */
export const backupFormat = 1;

/** Maximum files of the project: those of a version, without the two files about the backup. */
const filesMax = 200_000 - 2;

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
  const recordsFile = join(temporary.path, "records");
  const records = await saveRecords(job, recordsFile);
  job.progress(20, `${String(records.count)} records`);
  // Nothing in the project changes meanwhile, so the whole list is known before the first file is copied.
  const targets = await listTargets(job);
  const files = targets.reduce((sum, each) => sum + each.files.length, 0);
  if (files > filesMax)
    throw new WorkInputFault(`the project has ${String(files)} files, and a backup has ${String(filesMax)} at most`);
  const about: BackupFile = { format: backupFormat, project, records, targets };
  const aboutText = `${JSON.stringify(about)}\n`;
  const bytes = targets.reduce((sum, each) => sum + bytesOf(each), (await stat(recordsFile)).size);
  const terms = publishTerms(bytes + Buffer.byteLength(aboutText));
  await using publish = await client.files.publish(target, { fence, ...terms, ...defined({ root }) });
  await publish.write(backupNames.records, chunksOf(recordsFile));
  let copied = 0;
  for (const each of targets) {
    await backUpTarget(job, publish, each, join(temporary.path, "file"));
    copied += bytesOf(each);
    job.progress(30 + (65 * copied) / Math.max(1, bytes), `${String(copied)} of ${String(bytes)} bytes`);
  }
  await publish.write(backupNames.about, aboutText);
  await publish.commit({ meta: { project, records: records.count, files, targets: targets.length } });
  return { target, records: records.count, files };
}

async function saveRecords(job: WorkspaceJob, file: string): Promise<BackupFile["records"]> {
  const hash = createHash("sha256");
  let count = 0;
  await using handle = await open(file, "wx", 0o600);
  for await (const { type, id, value } of recordsOf(job)) {
    const line = `${JSON.stringify({ type, id, value })}\n`;
    hash.update(line);
    await handle.writeFile(line);
    count += 1;
  }
  return { count, sha256: hash.digest("hex") };
}

interface ListedTarget extends BackedUpTarget {
  readonly version: number;
}

async function listTargets(job: WorkspaceJob): Promise<readonly ListedTarget[]> {
  const targets: ListedTarget[] = [];
  for await (const { target, version, digest, meta } of targetsOf(job, `project/${job.payload.project}`)) {
    const files: BackedUpTarget["files"][number][] = [];
    for await (const { path, bytes, sha256 } of filesOf(job, target, version)) files.push({ path, bytes, sha256 });
    const folder = `${backupNames.files}/${String(targets.length)}`;
    targets.push({ target, version, folder, digest, files, ...defined({ meta }) });
  }
  return targets;
}

function bytesOf({ files }: Pick<BackedUpTarget, "files">): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
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
  { target, version, folder, files }: ListedTarget,
  file: string,
): Promise<void> {
  for (const { path, bytes, sha256 } of files) {
    const fetched = await fetchFile(job, { target, version, path }, { to: file, bytesMax: bytes });
    if (fetched.sha256 !== sha256) throw new Error(`${path} of ${target} is damaged`);
    await publish.write(`${folder}/${path}`, chunksOf(file));
    await rm(file);
  }
}

async function* chunksOf(file: string): AsyncGenerator<Uint8Array, void, undefined> {
  const handle = await open(file);
  yield* handle.createReadStream() as AsyncIterable<Uint8Array>;
}
