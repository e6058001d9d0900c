/** Events about agents and locks. Times are ISO 8601; folds go by the time of the entry. */
import Type from "typebox";
import type { EventType, RecordedEvent } from "./event-type.ts";
import { eachWith, withoutPath } from "./event-type.ts";
import { fence, ticket } from "./grant.ts";
import { lockPath, mode, scope } from "./lock-path.ts";
import { seesLocks } from "./rights.ts";

/** Events also carry members that only a fold needs. Readers ignore members that they do not know. */
const open = { additionalProperties: true } as const;

const ids = Type.Object({ ids: Type.Array(Type.String()) }, open);
const text = Type.String();
/** `of` names the first path of a set. The event of that path lists the whole set and comes last. */
const set = { of: Type.Optional(lockPath) };
/** The fences of all other grants at the path. If more than 16 owners share it, most events carry only the count. */
const others = { beside: Type.Optional(Type.Array(fence)), beside_count: Type.Optional(Type.Integer()) };
const onPath = { resource_id: lockPath, owner_id: text, fence, ...others };
const freed = Type.Object(
  { ...onPath, purpose: Type.Optional(text), note: Type.Optional(text), why: Type.Optional(text), ...set },
  open,
);
const changed = Type.Object({ ...onPath, previous_fence: fence, mode, scope, expires_at: text, ...set }, open);

/** The registration that an event is about. Only its own callers see it, and callers that may read everything. */
const ofAgent = {
  paths: withoutPath,
  owners: ({ subject }: RecordedEvent) => [subject.slice("agent/".length)],
} as const;

export const agentEvents = {
  "agent.registered": {
    summary: "An agent registered.",
    data: Type.Object({ name: Type.Optional(text), purpose: Type.Optional(text), parent: Type.Optional(text) }, open),
    ...ofAgent,
  },
  "agent.resumed": { summary: "An agent registered again with its own key.", data: Type.Object({}, open), ...ofAgent },
  "agents.renewed": {
    summary: "Heartbeats: registrations, leases and tickets of these agents are renewed.",
    data: ids,
    paths: withoutPath,
  },
  "agents.seen": {
    summary: "Activity: the registrations of these agents are extended.",
    data: ids,
    paths: withoutPath,
  },
  "agent.ended": {
    summary: "A registration ended: on request, by inactivity, or with its parent.",
    data: Type.Object({ why: text, by: text }, open),
    ...ofAgent,
  },
} as const;

/** A lock shows its holder to callers that may lock the path. Events about tickets are for their owners. */
const aboutLocks = {
  verbs: seesLocks,
  paths: lockPathsOf,
  owners: lockOwnersOf,
} as const satisfies Partial<EventType>;

/** Every path of an event about locks: the first event of a set names all. */
function lockPathsOf({ subject, data }: RecordedEvent): readonly string[] | undefined {
  if (!subject.startsWith("lock/")) return undefined;
  const { paths = [], of } = data as { readonly paths?: readonly NamedPath[]; readonly of?: string };
  return [subject.slice("lock/".length), ...paths.map(pathOf), ...(of === undefined ? [] : [of])];
}

/** Some lists have modes next to each path. */
export type NamedPath = string | { readonly path: string };

export function pathOf(named: NamedPath): string {
  return typeof named === "string" ? named : named.path;
}

function lockOwnersOf({ subject, data }: RecordedEvent): readonly string[] {
  if (!/^(lock|ticket)\//u.test(subject)) return [];
  const { owner_id, previous_owner, requested_by } = data as Readonly<Record<string, unknown>>;
  return [owner_id, previous_owner, requested_by].filter((owner) => typeof owner === "string");
}

export const lockEvents = eachWith(
  {
    "lock.acquired": {
      summary: "A path was granted.",
      data: Type.Object({ ...onPath, expires_at: text, mode, scope, ...set }, open),
    },
    "lock.released": { summary: "A path was released.", data: freed },
    "lock.expired": {
      summary: "A lease ended, the maximum hold ended, or a granted ticket was not accepted in time.",
      data: freed,
    },
    "lock.recovered": { summary: "A stale lock was recovered.", data: freed },
    "lock.forced": {
      summary: "An operator freed a lock. `override` says whether the recovery conditions were bypassed.",
      data: freed,
    },
    "lock.refreshed": {
      summary: "A lease was extended.",
      data: Type.Object({ ...onPath, expires_at: text, note: Type.Optional(text) }, open),
    },
    "lock.upgraded": { summary: "A lock became stronger, with a new fence.", data: changed },
    "lock.downgraded": { summary: "A lock became weaker, with a new fence.", data: changed },
    "lock.transferred": { summary: "A lock was transferred to another owner, with a new fence.", data: changed },
    "lock.adopted": {
      summary: "The owner of a lock continues with a new fence and a new keeper, whose heartbeats renew it.",
      data: changed,
    },
    "lock.accepted": { summary: "The owner of a granted ticket accepted it.", data: Type.Object({ fence }, open) },
    "lock.release_requested": {
      summary: "An agent or a principal, `by`, asks a holder to release a lock. `by_owner` is the owner that it named.",
      data: Type.Object({ ...onPath, by: text, by_owner: Type.Optional(text), reason: text }, open),
    },
    "lock.missed_shown": {
      summary: "The reply to an acquire showed the owner the grants that it missed. They are removed.",
      data: Type.Object({ owner_id: text }, open),
    },
    "lock.job_claimed": {
      summary: "An active job claims a lock, or has ended its claim.",
      data: Type.Object({ fence, job: Type.Union([text, Type.Null()]) }, open),
    },
    "lock.kept": {
      summary: "An agent has ended. Its remaining locks are kept: a job claims them, or they are recoverable.",
      data: Type.Object({ owner_id: text }, open),
    },
    "lock.queued": {
      summary: "A request was queued and has a ticket.",
      data: Type.Object({ resource_id: lockPath, owner_id: text, ticket, waits_for: text, ...others }, open),
    },
    "lock.waiting": {
      summary: "A ticket waits for another grant or ticket than before.",
      data: Type.Object({ ticket, waits_for: text }, open),
    },
    "lock.cancelled": {
      summary: "A ticket left the queue. `free`: a notify-only ticket that nothing blocks.",
      data: Type.Object({ ticket, why: text }, open),
    },
    "lock.request_joined": {
      summary: "A request of an owner shares a grant or a ticket that the owner has already.",
      data: Type.Object({ owner_id: text, fence: Type.Optional(fence), ticket: Type.Optional(ticket) }, open),
    },
    "lock.request_withdrawn": {
      summary: "A request was withdrawn. The same entry releases its grant or cancels its ticket, unless it is shared.",
      data: Type.Object(
        { owner_id: text, request: text, fence: Type.Optional(fence), ticket: Type.Optional(ticket) },
        open,
      ),
    },
    "lock.ticket_renewed": { summary: "The lease of a ticket was renewed.", data: Type.Object({ ticket }, open) },
    "lock.deadlock": {
      summary: "A request was refused or cancelled because of a deadlock.",
      data: Type.Object({ resource_id: lockPath, requested_by: text, cycle: Type.Array(Type.Unknown()) }, open),
    },
    "lock.handover_left": {
      summary: "More tickets can be granted than fit into this entry. The next entries grant them at once.",
      data: Type.Object({ blocker_id: text }, open),
    },
    "lock.handover_done": {
      summary: "This entry continues a hand-over.",
      data: Type.Object({ blocker_id: text }, open),
    },
  },
  aboutLocks,
);

export const lockSettingEvents = {
  "locks.configured": {
    summary: "An operator changed the settings of locks. `kinds` is in it if they were set.",
    data: Type.Object({ lock_manager: Type.Boolean(), enforce: Type.Array(lockPath) }, open),
    paths: withoutPath,
  },
} as const;
