/** Events about agents and locks. Times are ISO 8601; folds go by the time of the entry. */
import Type from "typebox";
import { fence, ticket } from "./grant.ts";
import { lockPath, mode, scope } from "./lock-path.ts";

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

export const agentEvents = {
  "agent.registered": {
    summary: "An agent registered.",
    data: Type.Object({ name: Type.Optional(text), purpose: Type.Optional(text), parent: Type.Optional(text) }, open),
  },
  "agent.resumed": { summary: "An agent registered again with its own key.", data: Type.Object({}, open) },
  "agents.renewed": {
    summary: "Heartbeats: registrations, leases and tickets of these agents are renewed.",
    data: ids,
  },
  "agents.seen": { summary: "Activity: the registrations of these agents are extended.", data: ids },
  "agent.ended": {
    summary: "A registration ended: on request, by inactivity, or with its parent.",
    data: Type.Object({ why: text, by: text }, open),
  },
} as const;

export const lockEvents = {
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
  "lock.accepted": { summary: "The owner of a granted ticket accepted it.", data: Type.Object({ fence }, open) },
  "lock.release_requested": {
    summary: "An agent or a principal, `by`, asks a holder to release a lock. `by_owner` is the owner that it named.",
    data: Type.Object({ ...onPath, by: text, by_owner: Type.Optional(text), reason: text }, open),
  },
  "lock.job_claimed": {
    summary: "An active job claims a lock, or has ended its claim.",
    data: Type.Object({ fence, job: Type.Union([text, Type.Null()]) }, open),
  },
  "lock.kept": {
    summary: "An agent has ended. Its locks are kept, because a job relies on them.",
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
  "lock.cancelled": { summary: "A ticket left the queue.", data: Type.Object({ ticket, why: text }, open) },
  "lock.ticket_renewed": { summary: "The lease of a ticket was renewed.", data: Type.Object({ ticket }, open) },
  "lock.deadlock": {
    summary: "A request was refused or cancelled because of a deadlock.",
    data: Type.Object({ resource_id: lockPath, requested_by: text, cycle: Type.Array(Type.Unknown()) }, open),
  },
  "lock.handover_left": {
    summary: "More tickets can be granted than fit into this entry. The next entries grant them at once.",
    data: Type.Object({ blocker_id: text }, open),
  },
  "lock.handover_done": { summary: "This entry continues a hand-over.", data: Type.Object({ blocker_id: text }, open) },
  "locks.configured": {
    summary: "An operator changed the settings of locks. `kinds` is in it if they were set.",
    data: Type.Object({ lock_manager: Type.Boolean(), enforce: Type.Array(lockPath) }, open),
  },
} as const;
