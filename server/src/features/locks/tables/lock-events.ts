/** The events about locks. Their times are texts, as they are published. Folds use the time of the entry. */
import { defined } from "@holdfast/sdk/base/defined";
import type { Event } from "../../../machine/entry.ts";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import type { StateReader } from "../../../machine/state.ts";
import { addCoHolders, coHoldersOf } from "./co-holders.ts";
import type { EventPath } from "./grant-folds.ts";
import type { GrantRow, RequestTerms } from "./lock-tables.ts";
import { addTermsData } from "./terms-data.ts";

export function lockSubject(path: string): string {
  return `lock/${path}`;
}

/**
 * A memo of the last two times as texts: a grant repeats the same time, and so does a batch. It affects speed only, so
 * the machine stays pure.
 */
let [last, before] = [textOf(0), textOf(0)];

export function iso(time: number): string {
  if (last.time === time) return last.text;
  [last, before] = [before.time === time ? before : textOf(time), last];
  return last.text;
}

function textOf(time: number): { readonly time: number; readonly text: string } {
  return { time, text: new Date(time).toISOString() };
}

/** Lists the other holders of a path. See co-holders.ts. */
type CoHolders = (path: string) => JsonObject;

/**
 * One event per path, so that the history of each path has it. The event of the first path has all the data, and the
 * others refer to it. It comes last, so that reactions to it see all of them.
 */
function lockEventsOf(
  type: string,
  paths: readonly EventPath[],
  data: { readonly all: JsonObject; readonly each: JsonObject; readonly beside: CoHolders },
): readonly Event[] {
  const { all, each, beside } = data;
  const [first, ...others] = paths;
  if (first === undefined) throw new Error(`${type} without a path`);
  const events: Event[] = others.map((locked) => ({
    type,
    subject: lockSubject(locked.path),
    data: { resource_id: locked.path, ...each, ...modeData(locked), ...beside(locked.path), of: first.path },
  }));
  const leading = { resource_id: first.path, ...each, ...modeData(first), ...all, ...beside(first.path) };
  const set = others.length === 0 ? leading : { ...leading, paths: paths as unknown as JsonObject[] };
  events.push({ type, subject: lockSubject(first.path), data: set });
  return events;
}

function modeData({ mode, scope, order }: EventPath): JsonObject {
  return order === undefined ? { mode, scope } : { mode, scope, order };
}

interface GrantData {
  readonly fence: string;
  readonly owner: string;
  readonly paths: readonly EventPath[];
  readonly terms: RequestTerms;
  readonly expiresAt: number;
  readonly graceMs: number | undefined;
  readonly ticket?: { readonly ticket: string; readonly ticketMs: number; readonly acceptMs: number };
  readonly keeper?: string | undefined;
  readonly job?: string | undefined;
  /** The request of this entry can be withdrawn by its key. */
  readonly isKeyed?: boolean;
}

export function lockAcquiredEvents(state: StateReader, grant: GrantData): readonly Event[] {
  const { fence, owner, paths } = grant;
  const [first] = paths;
  const expires = iso(grant.expiresAt);
  if (paths.length !== 1 || first === undefined) {
    const each = { owner_id: owner, expires_at: expires, fence };
    const all = addGrantData({}, grant);
    return lockEventsOf("lock.acquired", paths, { all, each, beside: (path) => coHoldersOf(state, path) });
  }
  const { path, mode, scope, order } = first;
  const data: Record<string, Json> = { resource_id: path, owner_id: owner, expires_at: expires, fence, mode, scope };
  if (order !== undefined) data["order"] = order;
  addGrantData(data, grant);
  addCoHolders(state, data, path);
  return [{ type: "lock.acquired", subject: lockSubject(path), data }];
}

/** Adds the members that only the event of the first path has. */
function addGrantData(
  data: Record<string, Json>,
  { terms, graceMs, keeper, job, isKeyed, ticket }: GrantData,
): Record<string, Json> {
  addTermsData(data, terms);
  if (graceMs !== undefined) data["grace_ms"] = graceMs;
  if (keeper !== undefined) data["keeper"] = keeper;
  if (job !== undefined) data["job"] = job;
  if (isKeyed === true) data["keyed"] = true;
  return ticket === undefined ? data : Object.assign(data, ticketData(ticket));
}

function ticketData({ ticket, ticketMs, acceptMs }: NonNullable<GrantData["ticket"]>): JsonObject {
  return { ticket, ticket_ms: ticketMs, accept_ms: acceptMs };
}

export type FreeingType = "lock.released" | "lock.expired" | "lock.recovered" | "lock.forced";

/** A grant or some of its paths ended: its owner, its purpose and its last note. */
export function lockFreedEvents(
  state: StateReader,
  type: FreeingType,
  row: GrantRow,
  paths: readonly string[],
  end: {
    readonly note: string | undefined;
    readonly contended: boolean;
    readonly more: JsonObject | undefined;
  },
): readonly Event[] {
  const first = paths[0] ?? "";
  const leading = freedData(state, first, row, end);
  if (end.contended) leading["contended"] = true;
  const leadingEvent: Event = { type, subject: lockSubject(first), data: leading };
  if (paths.length <= 1) return [leadingEvent];
  leading["paths"] = paths;
  const others = paths.slice(1).map((path) => ({
    type,
    subject: lockSubject(path),
    data: { ...freedData(state, path, row, end), of: first },
  }));
  return [...others, leadingEvent];
}

function freedData(
  state: StateReader,
  path: string,
  { owner, fence, purpose, note: lastNote }: GrantRow,
  { note = lastNote, more }: { readonly note: string | undefined; readonly more: JsonObject | undefined },
): Record<string, Json> {
  const data: Record<string, Json> = { resource_id: path, owner_id: owner, fence };
  if (purpose !== undefined) data["purpose"] = purpose;
  if (note !== undefined) data["note"] = note;
  if (more !== undefined) Object.assign(data, more);
  addCoHolders(state, data, path, fence);
  return data;
}

/** The same grant with other modes or another owner, and a new fence. */
export function lockChangedEvents(
  state: StateReader,
  type: "lock.upgraded" | "lock.downgraded" | "lock.transferred" | "lock.adopted",
  row: GrantRow,
  to: {
    readonly fence: string;
    readonly owner: string;
    readonly paths: readonly EventPath[];
    readonly ticket?: string;
    readonly keeper?: string;
    readonly job?: string;
  },
): readonly Event[] {
  const each = defined({
    owner_id: to.owner,
    expires_at: iso(row.expiresAt),
    fence: to.fence,
    previous_fence: row.fence,
    previous_owner: to.owner === row.owner ? undefined : row.owner,
  });
  const all = defined({
    acquired_at: iso(row.acquiredAt),
    ttl_ms: row.ttlMs,
    purpose: row.purpose,
    ticket: to.ticket,
    keeper: to.keeper,
    job: to.job,
  });
  return lockEventsOf(type, to.paths, { all, each, beside: (path) => coHoldersOf(state, path, row.fence) });
}
