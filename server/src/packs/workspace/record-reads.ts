/** The reads of records. Each needs the lock of its rule, or takes it at this moment. */
import {
  workspaceApproval,
  workspaceMap,
  workspaceObject,
  workspaceProject,
  workspaceRules,
  workspaceSketch,
  workspaceTemplate,
} from "@holdfast/sdk/contract";
import type { WorkspacePlace } from "@holdfast/sdk/contract";
import { defined } from "@holdfast/sdk/base/defined";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { missing } from "../../features/entities/change.ts";
import { authorOf, entityTable, findEntity, isLive, revisionOf } from "../../features/entities/entity-table.ts";
import type { EntityRow, LiveEntityRow } from "../../features/entities/entity-table.ts";
import { iso } from "../../features/locks/tables/lock-events.ts";
import type { Outcome } from "../../machine/entry.ts";
import type { ReadContext } from "../../machine/read-context.ts";
import { done } from "../../machine/refusal.ts";
import type { StateReader } from "../../machine/state.ts";
import type { PureRead } from "../pack-rules.ts";
import { approvalView } from "./approvals.ts";
import { readUnder } from "./access.ts";
import type { LockProof } from "./access.ts";
import { findRule, locksOfRule } from "./find-rule.ts";
import { workOfFence } from "./work-records.ts";
import { childCountTable, purgeTable } from "./workspace-tables.ts";
import { placeOfId, recordId } from "./record-place.ts";
import type { ApprovalValue, RecordPlace } from "./record-place.ts";
import { accessOf } from "./write-record.ts";

type PlacedInput = WorkspacePlace & LockProof & { readonly object?: string };

/** The facts of a record besides its fields. */
function factsOf(row: LiveEntityRow): JsonObject {
  const { version, position } = row;
  const facts = { version, revision: revisionOf(row), position };
  return { ...facts, changed_at: iso(row.time), changed_by: authorOf(row) };
}

/** A record as operations show it: its ids, its fields, the number of its children, its facts. */
export function recordView(state: StateReader, row: LiveEntityRow): JsonObject {
  const children = state.rows(childCountTable).get(row.id)?.children ?? 0;
  const { project, map, sketch, object } = placeOfId(row.id);
  const counted = {
    [workspaceProject.type]: "maps",
    [workspaceMap.type]: "sketches",
    [workspaceSketch.type]: "objects",
  };
  const name = counted[row.type];
  const counts = name === undefined ? {} : { [name]: children };
  const ids = defined({ project, map, sketch, object });
  return { ...(row.value as JsonObject), ...ids, ...counts, ...factsOf(row) };
}

const getRecord = (operation: string, type: string): PureRead => ({
  view: "scan",
  run: (input: PlacedInput, context) =>
    readUnder(context, accessOf(operation, input), () => {
      const target = { type, id: recordId(input) };
      const row = findEntity(context.state, target);
      return isLive(row) ? done(recordView(context.state, row)) : missing(row, target).outcome;
    }),
});

/** Items of a page when the caller names no limit. */
const limitDefault = 100;

interface PageInput {
  readonly after?: string;
  readonly limit?: number;
}

interface RecordPage {
  readonly rows: readonly LiveEntityRow[];
  readonly next: string | null;
}

/** The live records whose subject begins with a prefix. The cursor is what follows the prefix. */
function pageOf(state: StateReader, prefix: string, { after, limit = limitDefault }: PageInput): RecordPage {
  const start = after === undefined ? {} : { after: prefix + after };
  const rows = state.rows(entityTable).scan("subject", { prefix, ...start, limit: limit + 1 });
  const shown = pageRows(rows.filter(isLive), limit);
  const last = shown.at(-1);
  const isEnd = rows.length === shown.length || last === undefined;
  return { rows: shown, next: isEnd ? null : last.subject.slice(prefix.length) };
}

/** Maximum bytes of the values of a page, unless its first record has more. An object may have 300 KB. */
const pageBytesMax = 4_000_000;

function pageRows(rows: readonly LiveEntityRow[], limit: number): readonly LiveEntityRow[] {
  let bytes = 0;
  const end = rows.findIndex((row, index) => {
    bytes += row.size.bytes;
    return index > 0 && bytes > pageBytesMax;
  });
  return rows.slice(0, end < 0 ? limit : Math.min(limit, end));
}

const listRecordsOf = (operation: string, type: string): PureRead => ({
  view: "scan",
  run: (input: PlacedInput & PageInput, context) =>
    readUnder(context, accessOf(operation, input), () => {
      const { state } = context;
      const { project, map, sketch } = input;
      const { rows, next } = pageOf(state, `${type}/${recordId({ project, map, sketch })}/`, input);
      return done({ items: rows.map((row) => recordView(state, row)), next });
    }),
});

/** The objects of a sketch, or of a map. The case of the rule says which lock is needed. */
const listObjects: PureRead = {
  view: "scan",
  run: (input: PlacedInput & PageInput, context) => {
    const { project, map, sketch, fence, lock } = input;
    const place = { project, map, sketch };
    const rule = findRule("workspace.list-objects", { of: sketch === undefined ? "map" : "sketch", count: 0 });
    const access = { rule, place, locks: locksOfRule(rule, place), proof: defined({ fence, lock }) };
    return readUnder(context, access, () => {
      const { state } = context;
      const { rows, next } = pageOf(state, `${workspaceObject.type}/${recordId(place)}/`, input);
      const shown = rows.filter(({ id }) => !isInRemoval(state, placeOfId(id)));
      return done({ items: shown.map((row) => recordView(state, row)), next });
    });
  },
};

/** A deleted sketch may still have objects that the next entries remove. */
function isInRemoval(state: StateReader, { project, map, sketch }: RecordPlace): boolean {
  return state.rows(purgeTable).get(recordId({ project, map, sketch })) !== undefined;
}

const listApprovals: PureRead = {
  view: "scan",
  run: (input: PlacedInput & PageInput, context) =>
    readUnder(context, accessOf("workspace.list-approvals", input), () => {
      const { rows, next } = pageOf(context.state, `${workspaceApproval.type}/${input.project}/`, input);
      const items = rows.map(({ id, value }) => approvalView(id, value as unknown as ApprovalValue));
      return done({ items, next });
    }),
};

const templateView = (row: LiveEntityRow): JsonObject => ({
  ...(row.value as JsonObject),
  template: row.id,
  ...factsOf(row),
});

const getTemplate: PureRead = {
  view: "keys",
  run: ({ template }: { readonly template: string }, { state }) => {
    const target = { type: workspaceTemplate.type, id: template };
    const row = findEntity(state, target);
    return isLive(row) ? done(templateView(row)) : missing(row, target).outcome;
  },
};

const listTemplates: PureRead = {
  view: "scan",
  run: (input: PageInput, { state }) => {
    const { rows, next } = pageOf(state, `${workspaceTemplate.type}/`, input);
    return done({ items: rows.map(templateView), next });
  },
};

const listRules: PureRead = {
  view: "keys",
  run: () =>
    done({
      items: workspaceRules.map(({ operation, case: only, lock, role, isApproved, isJob }): JsonObject => {
        const when = only === undefined ? {} : { case: { ...only } };
        const needs = { lock: lock === null ? null : { ...lock }, role };
        return { operation, ...when, ...needs, approval: isApproved === true, job: isJob === true };
      }),
    }),
};

const recordTypes = [workspaceMap, workspaceSketch, workspaceObject].map(({ type }) => type);

interface RecordsInput extends PageInput {
  readonly project: string;
  readonly fence: string;
}

/** All records of a project for the worker of a job: the project, then parents before children. */
const listRecords: PureRead = {
  view: "scan",
  run: (input: RecordsInput, context): Outcome => {
    const found = workOfFence(context, "workspace.list-records", input);
    if ("kind" in found) return found;
    const rows = recordsFrom(context, input);
    const limit = input.limit ?? limitDefault;
    const shown = pageRows(rows, limit);
    const last = shown.at(-1);
    const items = shown.map(({ type, id, version, value }): JsonObject => {
      return { type, id: type === workspaceProject.type ? "" : id.slice(input.project.length + 1), version, value };
    });
    return done({ items, next: rows.length > shown.length && last !== undefined ? last.subject : null });
  },
};

function recordsFrom(
  { state }: ReadContext,
  { project, after, limit = limitDefault }: RecordsInput,
): readonly LiveEntityRow[] {
  const own = findEntity(state, { type: workspaceProject.type, id: project });
  const found: EntityRow[] = after === undefined && own !== undefined ? [own] : [];
  const [type = ""] = after?.split("/") ?? [];
  for (const each of recordTypes.slice(Math.max(0, recordTypes.indexOf(type)))) {
    const left = limit + 1 - found.length;
    if (left <= 0) break;
    const start = each === type && after !== undefined ? { after } : {};
    found.push(...state.rows(entityTable).scan("subject", { prefix: `${each}/${project}/`, ...start, limit: left }));
  }
  return found.filter(isLive);
}

/** The unit of a map and how its pixels become units. */
export function calibrationAt(
  state: StateReader,
  { project, map }: WorkspacePlace,
): { unit: string; matrix?: readonly number[] } {
  const row = findEntity(state, { type: workspaceMap.type, id: recordId({ project, map }) });
  const { calibration } = (isLive(row) ? row.value : {}) as {
    readonly calibration?: { readonly unit: string; readonly matrix: readonly number[] };
  };
  return calibration === undefined ? { unit: "px" } : { unit: calibration.unit, matrix: calibration.matrix };
}

export const recordReads: Readonly<Record<string, PureRead>> = {
  "workspace.get-project": getRecord("workspace.get-project", workspaceProject.type),
  "workspace.get-map": getRecord("workspace.get-map", workspaceMap.type),
  "workspace.get-sketch": getRecord("workspace.get-sketch", workspaceSketch.type),
  "workspace.get-object": getRecord("workspace.get-object", workspaceObject.type),
  "workspace.list-maps": listRecordsOf("workspace.list-maps", workspaceMap.type),
  "workspace.list-sketches": listRecordsOf("workspace.list-sketches", workspaceSketch.type),
  "workspace.list-objects": listObjects,
  "workspace.list-approvals": listApprovals,
  "workspace.get-template": getTemplate,
  "workspace.list-templates": listTemplates,
  "workspace.list-rules": listRules,
  "workspace.list-records": listRecords,
};
