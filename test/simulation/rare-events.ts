/**
 * What every campaign must have seen. A fault that never strikes, a command that nobody sends and an outcome that never
 * comes prove nothing, and nobody would notice that they are gone.
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
  "configure-locks",
  "raise-rules",
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
  "agent_unknown",
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
  "lock.accepted",
  "lock.cancelled cancelled",
  "lock.cancelled expired",
  "lock.cancelled agent_ended",
  "lock.cancelled held",
  "lock.ticket_renewed",
  "lock.deadlock",
  "lock.handover_left",
  "lock.handover_done",
  "lock.recovered agent_ended",
  "lock.cancelled grant_ended",
  "agents.renewed",
  "agent.registered",
  "agent.resumed",
  "agent.ended requested",
  "agent.ended inactive",
  "agent.ended parent_ended",
];

/** What the faults must lead to somewhere, or they are too weak. */
const consequences = [
  "answer is a replay",
  "replay from another node or life",
  "append is behind",
  "append is diverged",
  "append refused for good",
  "orphan was accepted",
  "orphan was refused",
  "node notices that the journal went back",
  "checkpoint is saved",
  "start from a checkpoint",
  "call throws because the journal can't be read",
  "lease.expired by its timer",
  "lease.expired by the first command that meets it",
  "lock.expired by its timer",
  "lock.expired by the first command that meets it",
  "entity is written under a fence",
  "entity is written without a fence where locks are enforced",
  "a part of a set is given back",
  "a lock is held off after a crash",
  "what an ended agent had is freed in parts",
  "subscriber continues from its cursor",
  "subscriber is told cursor_lost",
];

export const mustHappen: readonly string[] = [
  ...faultNames,
  ...commands.map((name) => `asked: ${name}`),
  ...answers.map((code) => `answer: ${code}`),
  ...events.map((type) => `event: ${type}`),
  ...consequences,
];

/** Those that did not happen once. */
export function neverHappened(tallies: ReadonlyMap<string, Tally>): readonly string[] {
  return mustHappen.filter((name) => !tallies.has(name));
}

/** Every name, those that must happen in their order first, then what else was counted. */
export function inOrder(tallies: ReadonlyMap<string, Tally>): readonly string[] {
  const known = new Set(mustHappen);
  return [...mustHappen, ...[...tallies.keys()].filter((name) => !known.has(name)).sort()];
}
