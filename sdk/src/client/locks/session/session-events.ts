import { defined } from "../../../base/defined.ts";
import type { WatchedEvent } from "../../transport/transport.ts";
import type { HeldGrant } from "../handle/held-grant.ts";
import type { LossReason } from "../handle/lock-errors.ts";
import type { LockedPath } from "../handle/lock.ts";
import type { Holdings } from "../handle/holdings.ts";
import type { PushedGrant } from "../waiting/ticket.ts";

type Data = Readonly<Record<string, unknown>>;

/** The members of `evt.lock.acquired` that a ticket needs. */
interface PushedData extends Omit<LockedPath, "path"> {
  readonly fence: string;
  readonly owner_id: string;
  readonly resource_id: string;
  readonly ttl_ms: number;
  readonly accept_ms: number;
}

/** Applies an event to the grant or ticket that it concerns. Returns false if that is not known (yet). */
export function applySessionEvent(session: Holdings, { name, subject, data, time }: WatchedEvent): boolean {
  const fields = data as Data;
  const rule = rules[name];
  // The first event of a set has all the data. The others refer to it.
  return rule === undefined || fields["of"] !== undefined || rule(session, fields, { subject, time });
}

type EventContext = Pick<WatchedEvent, "subject" | "time">;

const rules: Readonly<Record<string, (session: Holdings, data: Data, context: EventContext) => boolean>> = {
  "evt.lock.acquired": (session, data, { time }) => ticketGranted(session, data, time),
  "evt.lock.upgraded": (session, data, { time }) => fenceChanged(session, data, time),
  "evt.lock.downgraded": (session, data, { time }) => fenceChanged(session, data, time),
  "evt.lock.transferred": (session, data) => {
    const { previous_owner, previous_fence } = data;
    return previous_owner !== session.owner || lose(session, String(previous_fence), "transferred", data);
  },
  "evt.lock.released": (session, data) => pathsFreed(session, data, "released"),
  "evt.lock.expired": (session, data) => pathsFreed(session, data, "expired"),
  "evt.lock.recovered": (session, data) => pathsFreed(session, data, "recovered"),
  "evt.lock.forced": (session, data) => pathsFreed(session, data, "forced"),
  "evt.lock.release_requested": (session, data) => {
    const { fence, by, by_owner: byOwner, reason, resource_id: path } = data as Readonly<Record<string, string>>;
    const grant = session.grants.get(fence ?? "");
    grant?.requestRelease(defined({ by: by ?? "", byOwner, reason: reason ?? "", path: path ?? "" }));
    return grant !== undefined;
  },
  "evt.lock.waiting": (session, data) => {
    const ticket = session.tickets.get(String(data["ticket"]));
    if (ticket !== undefined) void session.refreshTicket(ticket);
    return true;
  },
  "evt.lock.cancelled": (session, data) => {
    const ticket = session.tickets.get(String(data["ticket"]));
    ticket?.end({ kind: "gone", why: String(data["why"]) });
    return ticket !== undefined;
  },
  "evt.agent.ended": (session, data, { subject }) => {
    if (subject === `agent/${session.owner}`) session.agentEnded(data);
    return true;
  },
};

/** A granted upgrade is identified by its fence alone. Its lease is that of the lock before. */
function ticketGranted(session: Holdings, data: Data, time: string): boolean {
  const { ticket: id, fence } = data;
  if (typeof id !== "string") return true;
  const ticket = session.tickets.get(id);
  if (typeof data["accept_ms"] === "number") ticket?.granted(pushedGrant(id, data, time));
  else ticket?.end({ kind: "granted", fence: String(fence) });
  return ticket !== undefined;
}

function pushedGrant(ticket: string, data: Data, acquiredAt: string): PushedGrant {
  const { fence, owner_id, ttl_ms, accept_ms, resource_id: path, mode, scope } = data as unknown as PushedData;
  const paths = (data["paths"] as readonly LockedPath[] | undefined) ?? [{ path, mode, scope }];
  const plain = paths.map((item) => ({ path: item.path, mode: item.mode, scope: item.scope }));
  return { ticket, fence, ownerId: owner_id, paths: plain, ttlMs: ttl_ms, acceptMs: accept_ms, acquiredAt };
}

function fenceChanged(session: Holdings, data: Data, time: string): boolean {
  const grant = session.grants.get(String(data["previous_fence"]));
  if (grant !== undefined) session.changeFence(grant, String(data["fence"]), pathsOf(data, grant));
  if (typeof data["ticket"] === "string") return ticketGranted(session, data, time);
  return grant !== undefined;
}

function pathsOf(data: Data, grant: HeldGrant): readonly LockedPath[] {
  const set = data["paths"] as readonly LockedPath[] | undefined;
  if (set !== undefined) return set.map(({ path, mode, scope }) => ({ path, mode, scope }));
  const { mode } = data as unknown as LockedPath;
  return grant.paths.map((path) => ({ ...path, mode }));
}

/** A grant may be freed in parts. It is lost when nothing is left. */
function pathsFreed(session: Holdings, data: Data, why: LossReason): boolean {
  const fence = String(data["fence"]);
  const grant = session.grants.get(fence);
  if (grant === undefined) return false;
  const gone = new Set((data["paths"] as readonly string[] | undefined) ?? [String(data["resource_id"])]);
  const left = grant.paths.filter(({ path }) => !gone.has(path));
  if (left.length > 0) {
    grant.change(fence, left);
    return true;
  }
  return lose(session, fence, data["why"] === "agent_ended" ? "agent-ended" : why, data);
}

function lose(session: Holdings, fence: string, why: LossReason, data: Data): boolean {
  const grant = session.grants.get(fence);
  grant?.lose(why, data);
  return grant !== undefined;
}

const losses: Readonly<Record<string, LossReason>> = {
  "evt.lock.released": "released",
  "evt.lock.expired": "expired",
  "evt.lock.recovered": "recovered",
  "evt.lock.forced": "forced",
  "evt.lock.transferred": "transferred",
};

/** The reason of a grant's end in the history of a path; undefined if there is none. */
export function lossIn(
  items: readonly unknown[],
  fence: string,
): { readonly why: LossReason; readonly data: Data } | undefined {
  for (const item of items as readonly { readonly event: string; readonly data: Data }[]) {
    const { event, data } = item;
    const why = losses[event];
    if (why === undefined || (data["fence"] !== fence && data["previous_fence"] !== fence)) continue;
    return { why: data["why"] === "agent_ended" ? "agent-ended" : why, data };
  }
  return undefined;
}
