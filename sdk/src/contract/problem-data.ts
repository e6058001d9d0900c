/** The data of refusals, by code. Doors may add members, such as `tries`. A caller gets only what it may read. */
import Type from "typebox";
import type { TProperties } from "typebox";
import { missed } from "./agents.ts";
import { holder } from "./grant.ts";

const open = { additionalProperties: true } as const;
const data = <Members extends TProperties>(members: Members) => Type.Object(members, open);
const text = Type.String();
const number = Type.Number();
const texts = Type.Array(text);
const optionalText = Type.Optional(text);
const optionalNumber = Type.Optional(number);

const issues = Type.Array(data({ pointer: text, message: text }));
const author = Type.Object({ principal: text, agent: optionalText }, open);
const entity = { type: text, id: text };
const deleted = data({ ...entity, deleted_at: optionalText, position: optionalNumber });
const current = { current_version: optionalNumber, current_revision: Type.Optional(Type.Union([text, Type.Null()])) };
const later = { retry_after_ms: optionalNumber, reason: optionalText };

/** A change that another writer made since the version of the caller. */
const change = data({
  pointer: text,
  before: Type.Optional(Type.Unknown()),
  after: Type.Optional(Type.Unknown()),
  cut: Type.Optional(Type.Unknown()),
  overlaps_yours: Type.Boolean(),
  yours: Type.Optional(Type.Unknown()),
  version: optionalNumber,
  changed_by: Type.Optional(author),
  changed_at: optionalText,
  position: optionalNumber,
});

const cycle = Type.Array(
  data({ owner_id: text, waits_for: optionalText, path: optionalText, blocked_by: text, as: text }),
);
const agent = data({ agent_id: text, reason: optionalText, ended_at: optionalText, why: optionalText });

const entityData = {
  entity_not_found: data({ ...entity }),
  entity_deleted: deleted,
  entity_exists: data({ ...entity, ...current }),
  version_not_found: data({ ...entity, version: number, current_version: number }),
  concurrency_mismatch: data({
    ...entity,
    expected_version: optionalNumber,
    ...current,
    changes: Type.Optional(Type.Array(change)),
    changes_reason: optionalText,
    truncated: Type.Optional(Type.Boolean()),
    tries: optionalNumber,
    reason: optionalText,
  }),
  concurrency_etag_required: data({ type: optionalText, id: optionalText }),
  field_changed: data({ ...entity, ...current, pointers: texts }),
  patch_failed: data({
    ...entity,
    current_version: optionalNumber,
    index: number,
    pointer: optionalText,
    reason: text,
  }),
  value_too_large: data({ limit: text }),
  kind_violated: data({ issues }),
  entry_erased: data({ position: optionalNumber, type: optionalText, id: optionalText, erased_by: Type.Unknown() }),
  entry_not_found: data({ position: number }),
  entry_in_use: data({ position: number, subjects: texts }),
  erasure_unfinished: data({ ...later, remains: Type.Optional(Type.Unknown()) }),
  history_archived: data({ reason: text }),
} as const;

const lockData = {
  lock_denied: data({
    resource_id: optionalText,
    requested_by: optionalText,
    current_owner: Type.Optional(Type.Union([text, Type.Null()])),
    reason: text,
    holders: Type.Optional(Type.Array(holder)),
    holders_total: optionalNumber,
    queue_length: optionalNumber,
    place: optionalNumber,
    waits_for: Type.Optional(Type.Array(holder)),
  }),
  lock_not_held: data({ owner_id: text, fence: optionalText, path: optionalText, paths: Type.Optional(texts) }),
  lock_order: data({ requested: text, held: text, order: text }),
  lock_limit: data({ paths: optionalNumber, tickets: optionalNumber, limit: optionalNumber, counted: optionalText }),
  path_invalid: data({ path: text, reason: text }),
  owner_taken: data({ owner_id: text }),
  locks_off: data({ toggle: text }),
  transfer_refused: data({ owner_id: text }),
  upgrade_refused: data({ fence: text, ticket: optionalText, owner_id: optionalText }),
  deadlock: data({
    requested_by: optionalText,
    cycle: Type.Optional(cycle),
    cycle_text: optionalText,
    too_large: Type.Optional(Type.Boolean()),
    reason: optionalText,
    ticket: optionalText,
  }),
  ticket_unknown: data({ ticket: optionalText, reason: optionalText, missed: Type.Optional(missed) }),
  request_withdrawn: data({ position: number }),
  fence_stale: data({ path: text, fence: text, reason: text }),
  fence_required: data({ path: text, holders: Type.Array(holder) }),
  not_recoverable: data({ fence: text, failed: texts }),
} as const;

const callerData = {
  agent_unknown: agent,
  agent_secret_required: data({ agent_id: text }),
  agent_limit: data({ parent: text, limit: number }),
  not_allowed: data({
    agent_id: optionalText,
    operation: optionalText,
    needs: optionalText,
    path: optionalText,
    reason: optionalText,
  }),
  token_unknown: data({ token_id: text }),
  token_limit: data({ limit: number }),
  principal_reserved: data({ principal: text }),
  check_contended: data({ retry_after_ms: number }),
  rate_limited: data({ limit: text, bound: number, retry_after_ms: number }),
  space_full: data({ state_bytes: number, state_bytes_max: number }),
  rules_unknown: data({ current: number, known: number }),
} as const;

/** The data of each core problem that has any. */
export const coreProblemData = {
  input_malformed: data({ pointer: optionalText, reason: optionalText }),
  input_invalid: data({ issues }),
  operation_unknown: data({ operation: text }),
  idempotency_replay_conflict: data({ position: number }),
  idempotency_key_expired: data({ position: number }),
  overloaded: data(later),
  journal_unavailable: data(later),
  outcome_unknown: data({ reason: optionalText, position: optionalNumber, command_id: optionalText }),
  internal_error: data({ command_id: optionalText }),
  unreachable: data({ url: optionalText, reason: optionalText }),
  protocol_mismatch: data({ client_protocol: number, server_protocol: number, reason: text }),
  frame_too_large: data({ limit: number }),
  watch_limit: data({ limit: number }),
  ...entityData,
  ...lockData,
  ...callerData,
} as const;
