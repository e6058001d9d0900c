/**
 * Makes a project equal to a backup. The backup is read whole and verified before anything changes. Then the project is
 * marked, so that every other caller is refused, until the entry that removes the mark. Every step can be repeated: after a
 * crash the next attempt continues.
 */
import { defined } from "@holdfast/sdk/base/defined";
import { createHash } from "node:crypto";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { isObject } from "@holdfast/sdk/json/json";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import { backupFormat, backupNames, targetsOf } from "./backup.ts";
import type { BackedUpTarget, BackupFile } from "./backup.ts";
import { fetchFile, filesOf } from "./fetch-file.ts";
import type { ProjectRecord } from "./list-pages.ts";
import { RecordChunk } from "./record-chunk.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { ask, publishTerms, WaitFault, WorkInputFault, required } from "./workspace-job.ts";
import type { WorkspaceJob } from "./workspace-job.ts";

const bytesMax = Number.MAX_SAFE_INTEGER;

interface RestoredBackup {
  readonly about: BackupFile;
  readonly version: number;
  readonly target: string;
  /** The file with the records. */
  readonly records: string;
}

/** Lines that are written. Before the first one, the records of the project may still be there. */
interface Checkpoint {
  readonly written: number;
}

export async function restore(job: WorkspaceJob): Promise<{ readonly records: number; readonly targets: number }> {
  const { project } = job.payload;
  await using temporary = await temporaryFolder();
  const verified = await verifiedBackup(job, temporary.path);
  job.progress(20, "the backup is verified");
  const { about } = verified;
  await requireNoPins(job, verified);
  await ask(job, "begin-restore", { project });
  const { written = 0 } = (job.checkpoint ?? {}) as Partial<Checkpoint>;
  if (written === 0) await clearRecords(job);
  const value = await writeRecords(job, verified, written);
  await restoreTargets(job, verified);
  await ask(job, "end-restore", { project, value });
  return { records: about.records.count, targets: about.targets.length };
}

/** Every file of the backup is compared with its digest, and the records with the count. Nothing has changed by then. */
async function verifiedBackup(job: WorkspaceJob, folder: string): Promise<RestoredBackup> {
  const { payload, client, fence } = job;
  const target = `backup/${payload.project}/${required(payload, "backup")}`;
  const { version } = await client.files.get(target, { fence });
  // The backup must outlive the restore.
  await client.files.pin({ target, version, fence, ttlMs: 86_400_000 });
  const listed = new Map<string, string>();
  for await (const { path, sha256 } of filesOf(job, target, version)) {
    listed.set(path, sha256);
    await verifyFile(job, { target, version, path });
  }
  const file = (name: string): string => join(folder, name);
  for (const path of [backupNames.about, backupNames.records])
    await fetchFile(job, { target, version, path }, { to: file(path), bytesMax });
  const about = readAbout(await readFile(file(backupNames.about), "utf8"), payload.project);
  const lacking = about.targets.flatMap(({ folder: of, files }) =>
    files.filter(({ path, sha256 }) => listed.get(`${of}/${path}`) !== sha256),
  );
  if (lacking.length > 0) throw new WorkInputFault(`the backup lacks ${String(lacking.length)} files that it names`);
  const { count, sha256 } = await countLines(file(backupNames.records));
  if (count !== about.records.count || sha256 !== about.records.sha256)
    throw new WorkInputFault("the records of the backup are not those that it names");
  return { about, version, target, records: file(backupNames.records) };
}

async function verifyFile(
  { client, fence, signal }: WorkspaceJob,
  { target, version, path }: { readonly target: string; readonly version: number; readonly path: string },
): Promise<void> {
  const stream = await client.files.open(target, path, { version, fence, signal });
  const hash = createHash("sha256");
  for await (const chunk of stream.open()) hash.update(chunk);
  if (hash.digest("hex") !== stream.etag) throw new WorkInputFault(`${path} of the backup is damaged`);
}

function readAbout(text: string, project: string): BackupFile {
  const parsed = JSON.parse(text) as Json;
  if (!isObject(parsed) || parsed["format"] !== backupFormat)
    throw new WorkInputFault(`the backup has another format than ${String(backupFormat)}`);
  if (parsed["project"] !== project)
    throw new WorkInputFault(`the backup is of the project ${JSON.stringify(parsed["project"] ?? null)}`);
  return parsed as unknown as BackupFile;
}

async function countLines(file: string): Promise<{ readonly count: number; readonly sha256: string }> {
  const hash = createHash("sha256");
  let count = 0;
  for await (const record of linesOf(file)) {
    hash.update(`${record}\n`);
    count += 1;
  }
  return { count, sha256: hash.digest("hex") };
}

async function* linesOf(file: string): AsyncGenerator<string, void, undefined> {
  await using handle = await open(file);
  yield* handle.readLines({ autoClose: false });
}

async function clearRecords(job: WorkspaceJob): Promise<void> {
  const { project } = job.payload;
  for (let removed = 0; ;) {
    const page = await ask<{ readonly removed: number; readonly is_empty: boolean }>(job, "clear-records", { project });
    removed += page.removed;
    job.progress(25, `${String(removed)} records removed`);
    if (page.is_empty) return;
  }
}

/** Writes the records after those of the checkpoint. Returns the value of the project itself. */
async function writeRecords(
  job: WorkspaceJob,
  { records, about }: RestoredBackup,
  written: number,
): Promise<JsonObject> {
  const { project } = job.payload;
  let value: JsonObject | undefined;
  let number = 0;
  const chunk = new RecordChunk<ProjectRecord>();
  const write = async (): Promise<void> => {
    if (chunk.isEmpty) return;
    await ask(job, "write-records", { project, records: chunk.take() });
    job.progress(30 + (40 * number) / about.records.count, `${String(number)} records`, { written: number });
  };
  for await (const line of linesOf(records)) {
    const record = JSON.parse(line) as ProjectRecord;
    if (record.id === "") {
      value = record.value as JsonObject;
      number += 1;
      continue;
    }
    if (!chunk.hasRoomFor(line.length)) await write();
    number += 1;
    if (number > written) chunk.add(record, line.length);
  }
  await write();
  if (value === undefined) throw new WorkInputFault("the backup has no record of the project");
  const { root: _root, restoring: _restoring, ...rest } = value;
  return rest;
}

/** Publishes the files again. A target that has them already is left, and one that the backup lacks is deleted. */
async function restoreTargets(job: WorkspaceJob, verified: RestoredBackup): Promise<void> {
  const { client, fence, payload } = job;
  const wanted = new Map(verified.about.targets.map((target) => [target.target, target]));
  const current = new Map<string, string>();
  for await (const { target, digest } of targetsOf(job, `project/${payload.project}`)) current.set(target, digest);
  for (const target of current.keys()) if (!wanted.has(target)) await client.files.delete(target, fence);
  let done = 0;
  for (const target of wanted.values()) {
    if (current.get(target.target) !== target.digest) await restoreTarget(job, verified, target);
    done += 1;
    job.progress(70 + (25 * done) / wanted.size, `${String(done)} of ${String(wanted.size)} targets`);
  }
}

/** A pinned version cannot be deleted. The project stays open until its readers end. No reader can pin under the lock of the job. */
async function requireNoPins(job: WorkspaceJob, { about }: RestoredBackup): Promise<void> {
  const { client, fence, payload } = job;
  const wanted = new Set(about.targets.map(({ target }) => target));
  for await (const { target } of targetsOf(job, `project/${payload.project}`)) {
    if (wanted.has(target)) continue;
    const { items } = await client.files.listVersions(target, { fence, limit: 1_000 });
    const pinned = items.find(({ pinnedUntil }) => pinnedUntil !== undefined);
    if (pinned !== undefined)
      throw new WaitFault(
        `a reader has pinned version ${String(pinned.version)} of ${target} until ${pinned.pinnedUntil ?? ""}`,
      );
  }
}

async function restoreTarget(
  job: WorkspaceJob,
  { target: backup, version }: RestoredBackup,
  { target, folder, files, meta }: BackedUpTarget,
): Promise<void> {
  const { client, fence, payload, signal } = job;
  const bytesMax = files.reduce((sum, { bytes }) => sum + bytes, 0);
  await using publish = await client.files.publish(target, {
    ...{ fence, ...publishTerms(bytesMax) },
    ...defined({ root: payload.root }),
  });
  for (const { path } of files) {
    const stream = await client.files.open(backup, `${folder}/${path}`, { version, fence, signal });
    await publish.write(path, stream.open());
  }
  await publish.commit(defined({ meta }));
}
