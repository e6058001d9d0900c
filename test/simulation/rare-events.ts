/**
 * Events that every campaign must reach. A fault, command or outcome that never happens proves nothing, and its absence
 * would go unnoticed.
 */
import { faultNames } from "./faults.ts";
import type { Tally } from "./tally.ts";

const commands = [
  "create-entity",
  "replace-entity",
  "patch-entity",
  "delete-entity",
  "close-ticket",
  "acquire-lease",
  "renew-lease",
  "get-entity",
  "list-entities",
  "list-history",
  "register-agent",
  "renew-agents",
  "end-agent",
  "acquire-lock",
  "release-lock",
  "renew-lock",
  "upgrade-lock",
  "downgrade-lock",
  "transfer-lock",
  "accept-lock",
  "cancel-ticket",
  "force-release",
  "request-release",
  "configure-locks",
  "raise-rules",
  "start-errand",
  "finish-errand",
  "lose-errand",
  "retry-errand",
];

const answers = [
  "done",
  "concurrency_mismatch",
  "outcome_unknown",
  "journal_unavailable",
  "deadline_passed",
  "overloaded",
  "stopping",
  "idempotency_replay_conflict",
  "idempotency_key_expired",
  "entity_exists",
  "entity_not_found",
  "entity_deleted",
  "field_changed",
  "patch_failed",
  "kind_violated",
  "ticket.check_failed",
  "lock_denied",
  "lock_not_held",
  "lock_order",
  "deadlock",
  "fence_stale",
  "fence_required",
  "owner_taken",
  "not_recoverable",
  "ticket_unknown",
  "upgrade_refused",
  "lock_limit",
  "transfer_refused",
  "agent_unknown",
  "errand_denied",
  "errand_not_held",
];

const events = [
  "entity.created",
  "entity.replaced",
  "entity.patched",
  "entity.merged",
  "entity.deleted",
  "entity.conflict",
  "space.epoch_raised",
  "space.rules_raised",
  "space.state_hashed",
  "lock.queued",
  "lock.acquired",
  "lock.acquired from the queue",
  "lock.upgraded",
  "lock.downgraded",
  "lock.transferred",
  "lock.refreshed",
  "lock.released",
  "lock.released agent_ended",
  "lock.expired lease",
  "lock.expired max_hold",
  "lock.expired not_accepted",
  "lock.expired agent_ended",
  "lock.recovered",
  "lock.forced simulated",
  "lock.release_requested",
  "space.configured",
  "lock.accepted",
  "lock.cancelled cancelled",
  "lock.cancelled expired",
  "lock.cancelled agent_ended",
  "lock.cancelled held",
  "lock.ticket_renewed",
  "lock.deadlock",
  "lock.handover_left",
  "lock.handover_done",
  "lock.kept",
  "lock.cancelled grant_ended",
  "lock.cancelled free",
  "lock.adopted",
  "lock.job_claimed",
  "agents.renewed",
  "agent.registered",
  "agent.resumed",
  "agent.ended requested",
  "agent.ended inactive",
  "agent.ended parent_ended",
];

/** Consequences that the faults must have in some seed. Otherwise they are too weak. */
const consequences = [
  "answer is a replay",
  "replay from another node or life",
  "check is stale",
  "append is behind",
  "append is diverged",
  "append is refused permanently",
  "orphan was accepted",
  "orphan was refused",
  "node notices that the journal went back",
  "checkpoint is saved",
  "start from a checkpoint",
  "call throws because the journal cannot be read",
  "lease.expired by its timer",
  "lease.expired by the first command that meets it",
  "lease.noted in the grace period",
  "a failed service is started again",
  "lock.expired by its timer",
  "lock.expired by the first command that meets it",
  "entity is written under a fence",
  "entity is written without a fence where locks are enforced",
  "a part of a set is released",
  "a lock is held off after a crash",
  "locks of an ended agent are freed in parts",
  "subscriber continues from its cursor",
  "subscriber gets cursor_lost",
];

export const mustHappen: readonly string[] = [
  ...faultNames,
  ...commands.map((name) => `asked: ${name}`),
  ...answers.map((code) => `answer: ${code}`),
  ...events.map((type) => `event: ${type}`),
  ...consequences,
];

/** The required events that never happened. */
export function neverHappened(tallies: ReadonlyMap<string, Tally>): readonly string[] {
  return mustHappen.filter((name) => !tallies.has(name));
}

/** All names: the required events in their order, then all others. */
export function inOrder(tallies: ReadonlyMap<string, Tally>): readonly string[] {
  const known = new Set(mustHappen);
  return [...mustHappen, ...[...tallies.keys()].filter((name) => !known.has(name)).sort()];
}
