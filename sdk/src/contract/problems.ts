/**
 * Every reason for which something may be refused, once. The code is what programs compare; title and `next` are for
 * people. `retry` tells a client what it may do by itself:
 * - `never`: the same request will fail the same way;
 * - `new-key-after-read`: read again, decide again, and send a new request (with a new key);
 * - `same-key`: nobody knows or nothing happened; send the same request with the same key or command id;
 * - `later`: the same request, after `retry_after_ms`.
 */
export interface Problem {
  readonly status: number;
  readonly retry: "never" | "new-key-after-read" | "same-key" | "later";
  readonly title: string;
  readonly next: string;
}

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
  rules_unknown: {
    status: 409,
    retry: "never",
    title: "These rules do not follow the current ones, or this build does not carry them",
    next: "Upgrade every node first; rules are raised one number at a time.",
  },
  space_full: {
    status: 507,
    retry: "never",
    title: "The space holds as much as its quota allows",
    next: "Delete what is not needed, or raise state_bytes_max with configure; deletes and releases still work.",
  },
  revision_invalid: {
    status: 400,
    retry: "never",
    title: "This is not a revision",
    next: "Send a revision exactly as a read or a write returned it.",
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
  internal_error: {
    status: 500,
    retry: "same-key",
    title: "A defect in Holdfast stopped this command",
    next: "Nothing happened. Please report it with the command id.",
  },
} as const satisfies Record<string, Problem>;

export type ProblemCode = keyof typeof registry;

export const problems: Readonly<Record<ProblemCode, Problem>> = registry;

/** What a code means; kinds bring codes of their own (`ticket.already_closed`), which only the caller can know. */
export function problemOf(code: string): Problem {
  if (Object.hasOwn(problems, code)) return problems[code as ProblemCode];
  return { status: 409, retry: "never", title: code, next: "See the rules of this kind of entity." };
}
