import { defined } from "@holdfast/sdk/base/defined";
import { isAtOrBelow } from "@holdfast/sdk/base/is-at-or-below";
import { eventTypes, isOfEntity, isOfPack, pathOfEntity, pathsOfEvent, publishedName } from "@holdfast/sdk/contract";
import type { InputOf, entityOperations } from "@holdfast/sdk/contract";
import type { Engine } from "../../engine/engine.ts";
import {
  authorOf,
  entityTable,
  findEntity,
  isLive,
  representationOf,
  subjectOf,
} from "../../features/entities/entity-table.ts";
import type { EntityRow, LiveEntityRow } from "../../features/entities/entity-table.ts";
import { beforeCreation } from "../../features/entities/before-creation.ts";
import { missing } from "../../features/entities/change.ts";
import { epochAt } from "../../features/space/space-table.ts";
import type { Entry, Event, Outcome } from "../../machine/entry.ts";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { done, refusal } from "../../machine/refusal.ts";
import { entityVersions } from "./entity-versions.ts";
import { retiredEntity } from "./retired-entity.ts";
import { pageBytesMax, subjectHistory, selectedEvents } from "./subject-history.ts";
import type { HistoryQuery } from "./subject-history.ts";
import { iso } from "../../features/locks/tables/lock-events.ts";

type EntityOperations = typeof entityOperations;
type ReadNames = {
  [Name in keyof EntityOperations]: EntityOperations[Name]["kind"] extends "read" ? Name : never;
}[keyof EntityOperations];
type Reads = {
  readonly [Name in ReadNames]: (engine: Engine, input: InputOf<EntityOperations[Name]>) => Promise<Outcome>;
};

/** One read per read operation of the contract. A missing one does not compile. */
export const entityReads: Reads = {
  "get-entity": getEntity,
  "list-entities": listEntities,
  "list-history": listHistory,
};

const pageSize = 100;

export async function getEntity(engine: Engine, input: InputOf<EntityOperations["get-entity"]>): Promise<Outcome> {
  const row = await engine.read((state) => findEntity(state, input));
  const found = row ?? (await rowOfRetired(engine, input));
  if (found === undefined) return missing(found, input).outcome;
  const { version, position } = input;
  if (version === undefined && position === undefined) {
    if (row === undefined) return pastEntity(engine, found, { from: "latest", to: Infinity, before: found.position });
    return isLive(row) ? done(representationOf(row)) : missing(row, input).outcome;
  }
  if (version !== undefined && position !== undefined) {
    const message = "send either version or position";
    return refusal("input_invalid", { issues: [{ pointer: "/position", message }] });
  }
  const range =
    position === undefined
      ? { from: version ?? 0, to: version ?? 0, before: found.position + 1 }
      : { from: "latest" as const, to: Infinity, before: Math.min(position, engine.head.position) + 1 };
  return pastEntity(engine, found, range);
}

/** The row under which a retired entity is read. Its values are in the journal alone. */
async function rowOfRetired(
  engine: Engine,
  { type, id }: { readonly type: string; readonly id: string },
): Promise<EntityRow | undefined> {
  const retired = await retiredEntity(engine, { type, id });
  if (retired === undefined) return undefined;
  const { position, version } = retired;
  const size = { bytes: 0, members: 0 };
  return { subject: subjectOf(type, id), type, id, version, epoch: 0, position, time: 0, principal: "", base: 0, size };
}

async function pastEntity(
  engine: Engine,
  row: EntityRow,
  range: { readonly from: number | "latest"; readonly to: number; readonly before: number },
): Promise<Outcome> {
  const { type, id } = row;
  const found = await entityVersions(engine, subjectOf(type, id), range);
  if (found.kind === "erased") return refusal("entry_erased", { type, id, erased_by: found.by });
  if (found.kind === "missing") {
    if (range.from === "latest")
      return refusal("entity_not_found", {
        ...{ type, id },
        ...beforeCreation(range.before - 1, await firstPosition(engine, row)),
      });
    return refusal("version_not_found", { type, id, version: range.from, current_version: row.version });
  }
  const [{ version, value, entry }] = found.versions;
  const { position, time, principal, agent } = entry;
  if (value === undefined) return refusal("entity_deleted", { type, id, deleted_at: iso(time), position });
  const epoch = await engine.read((state) => epochAt(state, position));
  const author = agent === undefined ? { principal } : { principal, agent };
  const { subject, size, base } = row;
  return done(representationOf({ subject, type, id, version, epoch, position, time, ...author, base, value, size }));
}

async function firstPosition(engine: Engine, { type, id }: EntityRow): Promise<number | undefined> {
  const query = { subject: subjectOf(type, id), before: undefined, order: "oldest-first", limit: 1 } as const;
  const [first] = await engine.entriesAbout(query);
  return first?.position;
}

async function listEntities(engine: Engine, input: InputOf<EntityOperations["list-entities"]>): Promise<Outcome> {
  const limit = input.limit ?? pageSize;
  const prefix = subjectOf(input.type, "");
  const after = input.after === undefined ? undefined : subjectOf(input.type, input.after);
  const rows = await engine.scan((state) =>
    state.rows(entityTable).scan("subject", { prefix, after, limit: limit + 1 }),
  );
  const items = withinPage(rows.slice(0, limit) as readonly LiveEntityRow[]);
  const hasMore = rows.length > items.length;
  return done({ items: items.map(representationOf), next: hasMore ? (items.at(-1)?.id ?? null) : null });
}

/** The first rows that fit a page, at least one. A thousand of the largest entities would have a gigabyte. */
function withinPage(rows: readonly LiveEntityRow[]): readonly LiveEntityRow[] {
  let bytes = 0;
  const end = rows.findIndex(({ size }) => (bytes += size.bytes) > pageBytesMax);
  return end < 0 ? rows : rows.slice(0, Math.max(end, 1));
}

async function listHistory(engine: Engine, input: InputOf<EntityOperations["list-history"]>): Promise<Outcome> {
  const { type, id, before, limit = pageSize } = input;
  const query = { subject: subjectOf(type, id), before, limit, isSelected: inHistoryOf(input) };
  const { entries, next } = await subjectHistory(engine, query);
  if (entries.length === 0 && next === null && before === undefined) return refusal("entity_not_found", { type, id });
  return done({ items: entries.flatMap((entry) => historyItems(entry, query)), next });
}

/**
 * Selects the events of an entity's history: its own, and those of packs whose paths are at or below that of the entity.
 * A caller of the history may read those paths.
 */
function inHistoryOf({ type, id }: { readonly type: string; readonly id: string }): HistoryQuery["isSelected"] {
  const own = pathOfEntity(type, id);
  const isVisible = (name: string, event: Event): boolean =>
    pathsOfEvent(eventTypes.get(name), event)?.every((path) => isAtOrBelow(path, own)) === true;
  return (name, event) => isOfEntity(name) || (isOfPack(name) && isVisible(name, event));
}

function historyItems(entry: Entry, query: HistoryQuery): readonly JsonObject[] {
  const { position, time, operation } = entry;
  return selectedEvents(entry, query).map((event) =>
    defined({
      position,
      time: iso(time),
      by: authorOf(entry),
      operation,
      event: publishedName(event),
      version: event.data["version"] ?? event.data["current_version"] ?? 0,
      data: event.data,
      erased_by: entry.erased,
    }),
  );
}
