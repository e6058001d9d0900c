import { accessProblems } from "./access-problems.ts";
import { planningProblems } from "./packs/planning-problems.ts";
import { plainCode } from "./packs/pack-codes.ts";
import type { Problem } from "./problem.ts";
import { transportProblems } from "./transport-problems.ts";

export type { Problem } from "./problem.ts";

/** Every reason for which something may be refused, once. */
const registry = {
  input_malformed: {
    status: 400,
    retry: "never",
    title: "The input is not a canonical value",
    next: "Mend the place that `pointer` names; `reason` says what is wrong there.",
  },
  input_invalid: {
    status: 422,
    retry: "never",
    title: "The input does not fit the operation",
    next: "Mend each place in `issues`; the contract of the operation says what it takes.",
  },
  operation_unknown: {
    status: 404,
    retry: "never",
    title: "There is no such operation",
    next: "Check the name against the list of operations.",
  },
  entity_not_found: {
    status: 404,
    retry: "never",
    title: "There is no such entity",
    next: "Check type and id, or create it with create-entity.",
  },
  entity_deleted: {
    status: 410,
    retry: "never",
    title: "The entity was deleted",
    next: "Read its history, or create it again with create-entity; its versions go on counting.",
  },
  entity_exists: {
    status: 409,
    retry: "new-key-after-read",
    title: "The entity exists already",
    next: "Read it, and change it with replace-entity or patch-entity.",
  },
  version_not_found: {
    status: 404,
    retry: "never",
    title: "The entity never had this version",
    next: "List its history to see which versions it had.",
  },
  concurrency_mismatch: {
    status: 412,
    retry: "new-key-after-read",
    title: "Somebody else changed the entity first",
    next: "Look at `changes`, read the entity again, decide again, and send a new request.",
  },
  concurrency_etag_required: {
    status: 428,
    retry: "new-key-after-read",
    title: "This needs to know which version you have seen",
    next: "Read the entity and send its ETag as If-Match; to create what is not there, send If-None-Match: *.",
  },
  concurrency_etag_invalid: {
    status: 400,
    retry: "never",
    title: "This is not the tag of one version",
    next: "Send If-Match with one strong tag, exactly as ETag had it; `reason` says what is wrong.",
  },
  rules_unknown: {
    status: 409,
    retry: "never",
    title: "These rules do not follow the current ones, or this build does not carry them",
    next: "Upgrade every node first; rules are raised one number at a time.",
  },
  "space-full": {
    status: 507,
    retry: "never",
    title: "The space holds as much as its quota allows",
    next: "Delete what is not needed, or raise state_bytes_max with configure; deletes and releases still work.",
  },
  entry_not_found: {
    status: 404,
    retry: "never",
    title: "There is no entry at this position",
    next: "List the journal to see which positions there are.",
  },
  entry_in_use: {
    status: 409,
    retry: "never",
    title: "The current state still rests on this entry",
    next: "Replace or delete what `subjects` names first; then its older entries can be erased.",
  },
  entry_erased: {
    status: 410,
    retry: "never",
    title: "The payload of this entry was erased on request",
    next: "It is gone for good. Entry `erased_by` says who asked for it and why.",
  },
  history_archived: {
    status: 410,
    retry: "never",
    title: "This part of the history was archived and is not here any more",
    next: "Bring the archive segment back into the data folder, or ask for a later position.",
  },
  field_changed: {
    status: 409,
    retry: "new-key-after-read",
    title: "A field is not what the request expects",
    next: "Read the entity again; `pointers` names the fields that differ.",
  },
  patch_failed: {
    status: 422,
    retry: "new-key-after-read",
    title: "A step of the patch can not be applied",
    next: "Look at step `index` of the patch and at the entity's current value.",
  },
  value_too_large: {
    status: 413,
    retry: "never",
    title: "The result would be too large",
    next: "Split the entity, or send less; `limit` names the bound.",
  },
  kind_violated: {
    status: 422,
    retry: "never",
    title: "The value does not fit the kind of this entity",
    next: "Mend each place in `issues`.",
  },
  agent_unknown: {
    status: 401,
    retry: "never",
    title: "There is no such agent, or its registration has ended",
    next: "Register again; `ended_at` and `why` say when and why it ended, if it ever was.",
  },
  agent_required: {
    status: 401,
    retry: "never",
    title: "Only a registered agent can do this",
    next: "Register, and send the agent's id and secret.",
  },
  ...accessProblems,
  not_allowed: {
    status: 403,
    retry: "never",
    title: "This is not for the caller to do",
    next: "Ask an operator for the right that `needs` names. Attempts at what belongs to operators are in the audit trail.",
  },
  owner_required: {
    status: 422,
    retry: "never",
    title: "A lock needs an owner",
    next: "Register as an agent, or give `owner_id`.",
  },
  owner_taken: {
    status: 403,
    retry: "never",
    title: "This owner id belongs to somebody else",
    next: "Act as that agent, or use an owner id of your own.",
  },
  locks_off: {
    status: 409,
    retry: "never",
    title: "The lock manager is switched off",
    next: "An operator switches it on with configure-locks: component_toggles.lock_manager.",
  },
  path_invalid: {
    status: 422,
    retry: "never",
    title: "This is not a path that can be locked",
    next: "Give non-empty names between single slashes; `reason` says what is wrong.",
  },
  lock_denied: {
    status: 409,
    retry: "new-key-after-read",
    title: "Somebody else holds it, or waits for it already",
    next: "See `holders` for who, why and until when; ask again with `wait` to get `place` in the queue.",
  },
  lock_not_held: {
    status: 409,
    retry: "never",
    title: "Not held",
    next: "Nothing was changed. If it expired, acquire it again: that gives a new fence.",
  },
  lock_order: {
    status: 409,
    retry: "never",
    title: "Waiting for this path now is against the global order",
    next: "Release `held` first, or take `requested` before it; see `order`.",
  },
  agent_limit: {
    status: 429,
    retry: "never",
    title: "Too many agents descend from one",
    next: "End children that are done, or register without a parent.",
  },
  lock_limit: {
    status: 429,
    retry: "never",
    title: "One owner holds or waits for too much",
    next: "Release what is not needed, or lock an ancestor instead of many paths.",
  },
  upgrade_refused: {
    status: 409,
    retry: "never",
    title: "Somebody else is upgrading already; both would wait for each other for ever",
    next: "Release the lock and acquire it as `write`, or use `upgradeable` from the start.",
  },
  deadlock: {
    status: 409,
    retry: "new-key-after-read",
    title: "Waiting would never end, because the others wait for you",
    next: "Look at `cycle`, release what the others wait for, and try again.",
  },
  ticket_unknown: {
    status: 404,
    retry: "never",
    title: "There is no such ticket",
    next: "It was cancelled, it expired, or its grant is over. Acquire again.",
  },
  fence_stale: {
    status: 412,
    retry: "never",
    title: "The fence is not that of a live write lock on this path",
    next: "The lock is lost or never was. Acquire it again and read before writing.",
  },
  fence_required: {
    status: 423,
    retry: "never",
    title: "Somebody else has locked this, and locks are enforced here",
    next: "Wait for `holders`, or send the fence of the lock if it is yours.",
  },
  not_recoverable: {
    status: 409,
    retry: "later",
    title: "The lock may not be recovered yet",
    next: "See `failed` for what is missing; override-release is the way around it.",
  },
  not_due: {
    status: 409,
    retry: "never",
    title: "This is not due",
    next: "Nothing happened.",
  },
  idempotency_key_invalid: {
    status: 400,
    retry: "never",
    title: "This is not an idempotency key",
    next: "Use 1 to 255 printable ASCII characters, without quote or backslash; a UUID is a good one.",
  },
  idempotency_replay_conflict: {
    status: 422,
    retry: "never",
    title: "The key was used for another request",
    next: "Use a new key for a new request; one key is one intent.",
  },
  idempotency_key_expired: {
    status: 409,
    retry: "never",
    title: "The key was used too long ago for its answer to be given again",
    next: "Read what the request was about; it ran at `position` and never runs again under this key.",
  },
  route_not_found: {
    status: 404,
    retry: "never",
    title: "There is nothing at this address",
    next: "See /docs for all addresses.",
  },
  method_not_allowed: {
    status: 405,
    retry: "never",
    title: "This address does not take this method",
    next: "Use one of `allow`.",
  },
  request_malformed: {
    status: 400,
    retry: "never",
    title: "The request is not well-formed",
    next: "Mend what `reason` names.",
  },
  request_timeout: {
    status: 408,
    retry: "same-key",
    title: "The request did not arrive in time",
    next: "Nothing happened. Send it again, as a whole.",
  },
  body_too_large: {
    status: 413,
    retry: "never",
    title: "The body is too large",
    next: "Send less at once; `limit_bytes` is the bound.",
  },
  headers_too_large: {
    status: 431,
    retry: "never",
    title: "The headers are too large",
    next: "Send less in headers and address; 16 KiB is the bound.",
  },
  cursor_invalid: {
    status: 400,
    retry: "never",
    title: "This is not a cursor",
    next: "Send a cursor exactly as an event or a page returned it.",
  },
  cursor_lost: {
    status: 410,
    retry: "never",
    title: "The cursor points into a history that no longer exists",
    next: "Read the current state, and watch again from its position.",
  },
  deadline_passed: {
    status: 504,
    retry: "same-key",
    title: "The deadline passed before the command was decided",
    next: "Nothing happened. Send it again, with the same key.",
  },
  outcome_unknown: {
    status: 504,
    retry: "same-key",
    title: "The journal did not answer in time, so the outcome is not known",
    next: "Send the same command again with the same key; it will not run twice.",
  },
  overloaded: {
    status: 503,
    retry: "later",
    title: "Too many commands are waiting",
    next: "Come back after `retry_after_ms`.",
  },
  journal_unavailable: {
    status: 503,
    retry: "same-key",
    title: "The journal can not be written now",
    next: "Nothing happened, reads go on. Send it again after `retry_after_ms`, with the same key.",
  },
  stopping: {
    status: 503,
    retry: "same-key",
    title: "This node is stopping",
    next: "Nothing happened. Send it again, to a node that runs.",
  },
  ...transportProblems,
  internal_error: {
    status: 500,
    retry: "same-key",
    title: "A defect in Holdfast stopped this command",
    next: "Nothing happened. Please report it with the command id.",
  },
  ...planningProblems,
} as const satisfies Record<string, Problem>;

export type ProblemCode = keyof typeof registry;

export const problems: Readonly<Record<ProblemCode, Problem>> = registry;

/** What a code means; kinds bring codes of their own (`ticket.already_closed`), which only the caller can know. */
export function problemOf(code: string): Problem {
  const known = [code, plainCode(code)].find((one) => Object.hasOwn(problems, one));
  if (known !== undefined) return problems[known as ProblemCode];
  return { status: 409, retry: "never", title: code, next: "See the rules of this kind of entity." };
}
