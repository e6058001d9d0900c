/**
 * Reads a data folder without owning it. Nothing here writes to it, and all of it works while a process has the folder
 * open. Like open.ts, it only assembles parts.
 */
import { isOfEntity, isOfPack, publishedName } from "@holdfast/sdk/contract";
import { allChecks } from "../app/app-services.ts";
import { systemClock } from "../base/clock.ts";
import { openRecheck } from "../checks/recheck.ts";
import { entriesAbout } from "../engine/entries-about.ts";
import { verify } from "../engine/verify/verify.ts";
import { beforeCreation } from "../features/entities/before-creation.ts";
import { missing } from "../features/entities/change.ts";
import { findEntity, isLive, representationOf, subjectOf } from "../features/entities/entity-table.ts";
import type { EntityRow } from "../features/entities/entity-table.ts";
import type { Kind } from "../features/entities/kind.ts";
import { lacksErased } from "../features/entities/lacks-erased.ts";
import { erasedPosition } from "../features/space/erased-position.ts";
import { recordedHash } from "../features/space/hash-command.ts";
import { batchLine } from "../journal/batch-line.ts";
import type { Head } from "../journal/journal.ts";
import { openSqliteReader } from "../journal/sqlite/folder/sqlite-reader.ts";
import type { VerificationOptions, VerificationResult } from "../engine/verify/verification.ts";
import type { Entry, Outcome } from "../machine/entry.ts";
import { done, refusal } from "../machine/refusal.ts";
import { allPacks } from "../app/packs/all-packs.ts";
import { machineOf } from "./open.ts";

export { headText } from "../engine/verify/verification.ts";
export type { BadEntry } from "../engine/verify/bad-entry.ts";
export type { Kind } from "../features/entities/kind.ts";
export type { Entry } from "../machine/entry.ts";

export interface VerifyFolderOptions {
  /** Entity types with rules of their own. Without their kinds, their refusals are only folded. */
  readonly kinds: readonly Kind[];
  /** A head that was exported earlier. */
  readonly expected?: Pick<Head, "position" | "hash"> | undefined;
  /** Whether the checks of recorded commands run again. */
  readonly isDeep?: boolean;
  readonly onProgress: (position: number, head: number) => void;
}

export interface VerifiedFolder extends VerificationResult {
  /** Damage of the files that the entries do not show, such as a broken page. */
  readonly fileFaults: readonly { readonly file: string; readonly what: string; readonly position?: number }[];
}

export interface DataFolder {
  head(): Head;
  verify(options: VerifyFolderOptions): Promise<VerifiedFolder>;
  /** Every entry after a position, oldest first. With a subject: only entries with an event about it. */
  entries(query: { readonly after: number; readonly subject?: string }): Iterable<Entry>;
  /** The whole journal, one batch per line. */
  lines(): Iterable<{ readonly line: string; readonly position: number }>;
  /** The current entity, a past version, or the entity after a position. */
  entity(target: Target, at: Moment): Outcome;
  close(): void;
}

export interface Target {
  readonly type: string;
  readonly id: string;
}

export interface Moment {
  readonly version?: number;
  readonly position?: number;
}

export function readDataFolder(folder: string): DataFolder {
  const reader = openSqliteReader(folder);
  return {
    head: () => reader.head(),
    async verify({ kinds, expected, isDeep, onProgress }) {
      const head = reader.head().position;
      const onPosition = (position: number): void => {
        onProgress(position, head);
      };
      const makeEvidence = isDeep === true ? await openRecheck(allChecks(kinds)) : undefined;
      const options = { ...verificationOf(kinds), makeEvidence, expected, clock: systemClock, onProgress: onPosition };
      // The files first: a broken page may make later batches unreadable.
      const fileFaults = reader.verifyFiles();
      const verified = await verify(reader.batches(1), options);
      return { ...verified, ok: verified.ok && fileFaults.length === 0, fileFaults };
    },
    entries({ after, subject }) {
      const subjects = subject === undefined ? undefined : [subject];
      return entriesAbout(reader.batches(after + 1), { after, subjects });
    },
    *lines() {
      for (const batch of reader.batches(1)) {
        yield { line: batchLine(batch), position: batch.first + batch.count - 1 };
      }
    },
    entity(target, at) {
      const { position: head } = reader.head();
      if (at.position !== undefined && at.position > head) return refusal("entry_not_found", { position: at.position });
      const subjects = [subjectOf(target.type, target.id), "space"];
      return entityAt(entriesAbout(reader.batches(1), { after: 0, subjects }), target, at);
    },
    close: () => reader.close(),
  };
}

/** The rules and folds of this build. */
export function verificationOf(kinds: readonly Kind[]): VerificationOptions {
  const all = [...kinds, ...allPacks.flatMap((pack) => pack.kinds)];
  const rules = {
    types: new Set(all.map(({ type }) => type)),
    operations: new Set([
      ...all.flatMap(({ commands }) => commands.map(({ operation }) => operation.name)),
      ...allPacks.flatMap(({ contract }) => contract.operations.map(({ name }) => name)),
    ]),
  };
  const ofKinds = all.flatMap(({ codes, ownedBy = codes }) => [codes, ownedBy]);
  const prefixes = new Set([...ofKinds, ...allPacks.map(({ contract }) => contract.name)]);
  return {
    createMachine: () => machineOf(kinds),
    canRedecide: ({ outcome }) => outcome.kind === "done" || carries(outcome, rules.types, prefixes),
    recordedHash,
    erasedPosition,
    missesErasedData: (state, entry) => lacksErased(state, rules, entry),
  };
}

/**
 * Whether this build has the rule of a refusal. Only a kind or a pack can decide its own again: `kind_violated` with its
 * type, or a code with its prefix.
 */
function carries(
  { code, data }: Extract<Outcome, { kind: "refusal" }>,
  types: ReadonlySet<string>,
  prefixes: ReadonlySet<string>,
): boolean {
  if (code === "kind_violated") return typeof data["type"] === "string" && types.has(data["type"]);
  const dot = code.indexOf(".");
  return dot < 0 || prefixes.has(code.slice(0, dot));
}

/** Folds the entries of one entity, and the epochs, which are part of its revisions. */
function entityAt(entries: Iterable<Entry>, target: Target, at: Moment): Outcome {
  const machine = machineOf([]);
  let row: EntityRow | undefined;
  let erasedBy: number | undefined;
  for (const entry of entries) {
    if (at.position !== undefined && entry.position > at.position) {
      if (row !== undefined) break;
      const isAbout = entry.events.some(({ subject }) => subject === subjectOf(target.type, target.id));
      if (!isAbout) continue;
      return refusal("entity_not_found", { ...target, ...beforeCreation(at.position, entry.position) });
    }
    machine.fold(entry);
    const next = findEntity(machine.durable, target);
    if (next !== row) erasedBy = entry.erased ?? (next?.isErased === true ? erasedBy : undefined);
    row = next;
    if (at.version !== undefined && row?.version === at.version) return entityOutcome(row, target, erasedBy);
  }
  if (at.version === undefined || row === undefined) return entityOutcome(row, target, erasedBy);
  return refusal("version_not_found", { ...target, version: at.version, current_version: row.version });
}

function entityOutcome(row: EntityRow | undefined, target: Target, erasedBy: number | undefined): Outcome {
  if (row?.isErased === true) return refusal("entry_erased", { position: row.position, erased_by: erasedBy ?? null });
  return isLive(row) ? done(representationOf(row)) : missing(row, target).outcome;
}

/** The events of an entry about an entity, those of packs included, under their published names. */
export function entityEventsOf(entry: Entry, subject: string): readonly NamedEvent[] {
  return entry.events
    .filter((event) => event.subject === subject && (isOfEntity(event.type) || isOfPack(event.type)))
    .map((event) => ({ name: publishedName(event), data: event.data }));
}

export interface NamedEvent {
  readonly name: string;
  readonly data: Readonly<Record<string, unknown>>;
}
