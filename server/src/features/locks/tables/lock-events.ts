/** The events about locks. Their times are texts, as they are published. Folds use the time of the entry. */
import type { Event } from "../../../machine/entry.ts";
import type { JsonObject } from "@holdfast/sdk/json/json";
import type { StateReader } from "../../../machine/state.ts";
import { coHoldersOf } from "./co-holders.ts";
import type { EventPath } from "./grant-folds.ts";
import type { GrantRow, Terms } from "./lock-tables.ts";
import { termsData } from "./terms-data.ts";

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
  facts: { readonly all: JsonObject; readonly each: JsonObject; readonly beside: CoHolders },
): readonly Event[] {
  const { all, each, beside } = facts;
  const [first, ...others] = paths;
  if (first === undefined) throw new Error(`${type} without a path`);
  const events: Event[] = others.map((one) => ({
    type,
    subject: lockSubject(one.path),
    data: { resource_id: one.path, ...each, ...placeOf(one), ...beside(one.path), of: first.path },
  }));
  const set: JsonObject = others.length === 0 ? {} : { paths: paths as unknown as JsonObject[] };
  const data = { resource_id: first.path, ...each, ...placeOf(first), ...all, ...beside(first.path), ...set };
  events.push({ type, subject: lockSubject(first.path), data });
  return events;
}

function placeOf({ mode, scope, order }: EventPath): JsonObject {
  return order === undefined ? { mode, scope } : { mode, scope, order };
}

interface GrantData {
  readonly fence: string;
  readonly owner: string;
  readonly paths: readonly EventPath[];
  readonly terms: Terms;
  readonly expiresAt: number;
  readonly graceMs: number | undefined;
  readonly ticket?: { readonly ticket: string; readonly acceptMs: number };
}

export function lockAcquiredEvents(state: StateReader, facts: GrantData): readonly Event[] {
  const { fence, owner, terms, graceMs, ticket } = facts;
  const all: JsonObject = {
    ...termsData(terms),
    ...(graceMs === undefined ? {} : { grace_ms: graceMs }),
    ...(ticket === undefined ? {} : { ticket: ticket.ticket, accept_ms: ticket.acceptMs }),
  };
  const each = { owner_id: owner, expires_at: iso(facts.expiresAt), fence };
  return lockEventsOf("lock.acquired", facts.paths, { all, each, beside: (path) => coHoldersOf(state, path) });
}

export type FreeingType = "lock.released" | "lock.expired" | "lock.recovered" | "lock.forced";

/** A grant or some of its paths ended: its owner, its purpose and its last note. */
export function lockFreedEvents(
  state: StateReader,
  type: FreeingType,
  row: GrantRow,
  paths: readonly string[],
  facts: { readonly note?: string; readonly contended: boolean; readonly more?: JsonObject },
): readonly Event[] {
  const note = facts.note ?? row.note;
  const each: JsonObject = {
    owner_id: row.owner,
    fence: row.fence,
    ...(row.purpose === undefined ? {} : { purpose: row.purpose }),
    ...(note === undefined ? {} : { note }),
    ...facts.more,
  };
  const [first = "", ...others] = paths;
  const set: JsonObject = others.length === 0 ? {} : { paths };
  const contended: JsonObject = facts.contended ? { contended: true } : {};
  const about = (path: string, rest: JsonObject): Event => ({
    type,
    subject: lockSubject(path),
    data: { resource_id: path, ...each, ...coHoldersOf(state, path, row.fence), ...rest },
  });
  return [...others.map((path) => about(path, { of: first })), about(first, { ...contended, ...set })];
}

/** The same grant with other modes or another owner, and a new fence. */
export function lockChangedEvents(
  state: StateReader,
  type: "lock.upgraded" | "lock.downgraded" | "lock.transferred",
  row: GrantRow,
  to: {
    readonly fence: string;
    readonly owner: string;
    readonly paths: readonly EventPath[];
    readonly ticket?: string;
  },
): readonly Event[] {
  const each = {
    owner_id: to.owner,
    expires_at: iso(row.expiresAt),
    fence: to.fence,
    previous_fence: row.fence,
    ...(to.owner === row.owner ? {} : { previous_owner: row.owner }),
  };
  const all: JsonObject = {
    acquired_at: iso(row.acquiredAt),
    ttl_ms: row.ttlMs,
    ...(row.purpose === undefined ? {} : { purpose: row.purpose }),
    ...(to.ticket === undefined ? {} : { ticket: to.ticket }),
  };
  return lockEventsOf(type, to.paths, { all, each, beside: (path) => coHoldersOf(state, path, row.fence) });
}
