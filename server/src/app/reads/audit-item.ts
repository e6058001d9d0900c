import { defined } from "@holdfast/sdk/base/defined";
import { allOperations, eventTypes, publishedName } from "@holdfast/sdk/contract";
import type { Operation } from "@holdfast/sdk/contract";
import type { Engine } from "../../engine/engine.ts";
import { authorOf, subjectOf } from "../../features/entities/entity-table.ts";
import { lockSubject } from "../../features/locks/tables/lock-events.ts";
import { epochAt } from "../../features/space/space-table.ts";
import type { Entry, Event } from "../../machine/entry.ts";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { isObject } from "@holdfast/sdk/json/json";
import { publishedData } from "../watch/entry-events.ts";
import { entryOutcomeCode } from "../watch/entry-filter.ts";
import { subjectHistory, selectedEvents } from "./subject-history.ts";
import { iso } from "../../features/locks/tables/lock-events.ts";

const entityChanges = new Set([
  "entity.created",
  "entity.replaced",
  "entity.merged",
  "entity.patched",
  "entity.deleted",
]);

export function isEntityChange({ type }: Event): boolean {
  return entityChanges.has(type);
}

/**
 * An entry as the audit trail shows it: author, time, operation, subjects, outcome, and the revisions before and after.
 */
export async function auditItem(engine: Engine, entry: Entry): Promise<JsonObject> {
  const { trace, erased } = entry;
  const { records, ...members } = auditMembers(entry);
  return defined({
    ...members,
    events: [...new Set(entry.events.map(publishedName))],
    changes: await auditChanges(engine, entry),
    records: records.length === 0 ? undefined : records,
    reason: reasonOf(entry),
    trace: trace ?? null,
    erased_by: erased,
  });
}

/** The members of an entry in the audit trail that the entry alone determines. */
export interface AuditMembers {
  readonly position: number;
  readonly time: string;
  readonly by: JsonObject;
  readonly operation: string;
  readonly outcome: string;
  readonly subjects: readonly string[];
  /** The events with a name in the audit trail, each under that name. */
  readonly records: readonly JsonObject[];
}

export function auditMembers(entry: Entry): AuditMembers {
  const { position, time, operation, events } = entry;
  return {
    position,
    time: iso(time),
    by: authorOf(entry),
    operation,
    outcome: entryOutcomeCode(entry),
    subjects: subjectsOf(entry),
    records: recordsOf(events),
  };
}

/** Most entries have one subject. A set for each line of the audit file would be a fifth of its cost. */
function subjectsOf(entry: Entry): readonly string[] {
  const subject = entry.events[0]?.subject;
  if (subject === undefined) return inputSubjects(entry);
  if (entry.events.every((event) => event.subject === subject)) return [subject];
  return [...new Set(entry.events.map((event) => event.subject))];
}

function recordsOf(events: readonly Event[]): readonly JsonObject[] {
  const records: JsonObject[] = [];
  for (const { type, data } of events) {
    const event = eventTypes.get(type)?.audit;
    if (event !== undefined) records.push({ ...publishedData(data), event });
  }
  return records;
}

/** The entities that an entry changed, with the revisions before and after. */
export async function auditChanges(engine: Engine, entry: Entry): Promise<readonly JsonObject[]> {
  const changes: JsonObject[] = [];
  for (const event of entry.events) {
    if (isEntityChange(event)) changes.push(recordedChange(entry, event) ?? (await foundChange(engine, entry, event)));
  }
  return changes;
}

/** The same if the entry alone determines them; undefined otherwise. */
export function recordedChanges(entry: Entry): readonly JsonObject[] | undefined {
  const changes: JsonObject[] = [];
  for (const event of entry.events) {
    if (!isEntityChange(event)) continue;
    const change = recordedChange(entry, event);
    if (change === undefined) return undefined;
    changes.push(change);
  }
  return changes;
}

/** The subjects of a refused command, so that its refusal is found with them. */
function inputSubjects({ input }: Entry): readonly string[] {
  if (!isObject(input)) return [];
  const { type, id, path } = input;
  if (typeof type === "string" && typeof id === "string") return [subjectOf(type, id)];
  return typeof path === "string" ? [lockSubject(path)] : [];
}

/** The members that make the reason of an entry, by operation. */
const reasonMembers: ReadonlyMap<string, readonly string[]> = new Map(
  Object.values<Operation>(allOperations).flatMap(({ name, auditReason }) =>
    auditReason === undefined ? [] : [[name, auditReason] as const],
  ),
);

function reasonOf({ operation, input, outcome }: Entry): string | null {
  const members = reasonMembers.get(operation);
  if (members !== undefined && isObject(input))
    return members.flatMap((member) => (typeof input[member] === "string" ? [input[member]] : [])).join(": ");
  const inputReason = isObject(input) ? input["reason"] : undefined;
  if (typeof inputReason === "string") return inputReason;
  const { reason } = outcome.data;
  return outcome.kind === "refusal" && typeof reason === "string" ? reason : null;
}

/** The change that the outcome contains; undefined if it was erased, or is about another entity of the entry. */
function recordedChange({ outcome: { data } }: Entry, { subject }: Event): JsonObject | undefined {
  const { type, id, revision, previous_revision: previous } = data;
  const isOwnSubject = typeof type === "string" && typeof id === "string" && subjectOf(type, id) === subject;
  if (!isOwnSubject || typeof revision !== "string" || previous === undefined) return undefined;
  return { subject, version: data["version"] ?? 0, prior_revision: previous, revision };
}

/** The change as the index finds it, with the version before. */
async function foundChange(engine: Engine, entry: Entry, event: Event): Promise<JsonObject> {
  const { subject } = event;
  const version = event.data["version"];
  const before = await versionBefore(engine, subject, entry.position);
  const ownVersion = typeof version === "number" ? version : (before?.version ?? 0) + 1;
  return {
    subject,
    version: ownVersion,
    prior_revision: event.type === "entity.created" || before === undefined ? null : before.revision,
    revision: await revisionAt(engine, entry.position, ownVersion),
  };
}

interface VersionBefore {
  readonly version: number;
  readonly revision: string;
}

/** Maximum entries to search for the version before. */
const entriesMax = 20;

async function versionBefore(engine: Engine, subject: string, before: number): Promise<VersionBefore | undefined> {
  const query = { subject, before, limit: entriesMax, isSelected: (type: string) => entityChanges.has(type) };
  for (const entry of (await subjectHistory(engine, query)).entries) {
    const version = selectedEvents(entry, query)[0]?.data["version"];
    if (typeof version === "number") return { version, revision: await revisionAt(engine, entry.position, version) };
  }
  return undefined;
}

async function revisionAt(engine: Engine, position: number, version: number): Promise<string> {
  return engine.read((state) => `${String(epochAt(state, position))}.${String(version)}`);
}
