/** Additions to replies about locks: how the previous lock ended, and the state of a recorded grant. */
import type { CallReply } from "@holdfast/sdk";
import type { Engine } from "../../engine/engine.ts";
import type { Reply } from "../../engine/reply.ts";
import { findGrantOfTicket, grantTimes, placeView } from "../../features/locks/rules/accept-lock.ts";
import { grantView } from "../../features/locks/queue/free-grant.ts";
import { findGrant } from "../../features/locks/guard-write.ts";
import { iso } from "../../features/locks/tables/lock-events.ts";
import { positionOf } from "../../features/locks/views/previous-lock.ts";
import { ticketTable } from "../../features/locks/tables/lock-tables.ts";
import type { GrantRow } from "../../features/locks/tables/lock-tables.ts";
import { isLeaving } from "../../features/locks/tables/count-owner.ts";
import { ticketTimes, timesView } from "../../features/locks/tables/ticket-times.ts";
import type { JsonObject } from "@holdfast/sdk/json/json";
import type { StateReader } from "../../machine/state.ts";
import { priorLocks, recentPriorLocks } from "./prior-locks.ts";
import type { DescribedGrant } from "./prior-locks.ts";

/** True if a reply describes a grant. Such a reply also reports how the previous locks on its paths ended. */
export function describesGrant({ outcome }: Reply): boolean {
  return outcome.data["granted"] === true;
}

/** Adds how the previous lock on each path ended. It needs no promise if the history is in memory. */
export function withPriorLocks(engine: Engine, reply: CallReply): CallReply | Promise<CallReply> {
  const data = reply.outcome.data as DescribedGrant & { left_before?: readonly JsonObject[] };
  const add = (locks: readonly JsonObject[]): CallReply => {
    data.left_before = locks;
    return reply;
  };
  const recent = recentPriorLocks(engine, data);
  return recent === undefined ? priorLocks(engine, data).then(add) : add(recent);
}

/** The replayed reply to an acquire: whether the grant is still held, or the current place of the ticket. */
export async function replayedLockReply(engine: Engine, data: JsonObject, input: JsonObject): Promise<JsonObject> {
  const { granted, fence, ticket } = data;
  if (granted === true && typeof fence === "string") {
    // In one read: between two reads its agent may end, and the reply would show a lease that does not exist.
    const view = await engine.read((state) => viewOf(state, findGrant(state, fence)));
    const recorded = view ?? (await recordedGrant(engine, fence));
    return addPriorLocks(engine, { ...data, ...requestTimes(input), ...recorded, still_held: view !== undefined });
  }
  if (typeof ticket !== "string") return data;
  const current = await engine.scan((state): JsonObject => {
    const row = state.rows(ticketTable).get(ticket);
    if (row !== undefined && !isLeaving(state, row.owner)) {
      return { granted: false, ...placeView(state, row), still_waiting: true };
    }
    const view = viewOf(state, findGrantOfTicket(state, ticket));
    if (view === undefined) return { ...data, waits_for: [], estimate_ms: null, still_waiting: false };
    return { granted: true, ticket, ...view, still_held: true };
  });
  return current["granted"] === true ? addPriorLocks(engine, current) : current;
}

/** The times that a recorded acquire asked for. An upgrade asks for none. */
function requestTimes(input: JsonObject): JsonObject {
  return input["paths"] === undefined ? {} : timesView(ticketTimes(input));
}

/** The current grant; undefined if it has ended, or is about to be freed because its owner has ended. */
function viewOf(state: StateReader, row: GrantRow | undefined): JsonObject | undefined {
  return row === undefined || isLeaving(state, row.owner)
    ? undefined
    : { ...grantView({ state }, row), ...grantTimes(row) };
}

async function addPriorLocks(engine: Engine, grant: JsonObject): Promise<JsonObject> {
  return { ...grant, left_before: await priorLocks(engine, grant as unknown as DescribedGrant) };
}

/** An ended grant, from the entry that made its fence. */
async function recordedGrant(engine: Engine, fence: string): Promise<JsonObject> {
  const position = positionOf(fence);
  // Its history may have been lost.
  const [entry] = position > engine.head.position ? [] : await engine.entriesAt([position]);
  const event = entry?.events.find(({ data }) => data["fence"] === fence && data["of"] === undefined);
  if (event === undefined || entry === undefined) return { paths: [] };
  const { resource_id: path = "", mode = "", scope = "", owner_id = "", paths, ttl_ms: ttlMs } = event.data;
  return {
    owner_id,
    paths: plainPaths((paths ?? [{ path, mode, scope }]) as readonly JsonObject[]),
    acquired_at: event.data["acquired_at"] ?? iso(entry.time),
    ttl_seconds: (ttlMs as number) / 1000,
  };
}

function plainPaths(paths: readonly JsonObject[]): readonly JsonObject[] {
  return paths.map(({ path = "", mode = "", scope = "" }) => ({ path, mode, scope }));
}
