import { conflictReason, pathOfEntity } from "@holdfast/sdk/contract";
import { sameJson } from "@holdfast/sdk/json/same-json";
import type { Event } from "../../machine/entry.ts";
import type { DecideContext, Decision } from "../../machine/feature.ts";
import type { Json } from "@holdfast/sdk/json/json";
import { refusal } from "../../machine/refusal.ts";
import { unguardedWrite } from "../locks/guard-write.ts";
import { isAnyEnforced } from "../locks/tables/settings.ts";
import { currentVersion, isLive, revisionOf, subjectOf } from "./entity-table.ts";
import type { EntityRow } from "./entity-table.ts";
import { parsePointer } from "@holdfast/sdk/json/parse-pointer";
import { valueAt } from "@holdfast/sdk/json/value-at";

/** A field that must have a value, or be absent. */
interface ExpectedField {
  readonly pointer: string;
  readonly value?: unknown;
}

/** The conditions of a write, as the contract defines them. */
export interface Conditions {
  readonly type: string;
  readonly id: string;
  readonly expected_version?: number;
  readonly expected_revision?: string;
  readonly if_unchanged?: readonly (string | ExpectedField)[];
  readonly fence?: string;
}

interface Expectation {
  readonly version: number;
  /** The epoch of the caller's revision. Only a revision contains one. */
  readonly epoch: number | undefined;
}

/**
 * Checks that the caller expects a version, if it must, then the lock, then its expectations. An entity that does not exist has no version to expect: its absence is the answer.
 */
export function unmetCondition(
  row: EntityRow | undefined,
  conditions: Conditions,
  context: DecideContext,
  kind?: { readonly ownedBy?: string | undefined },
): Decision | undefined {
  const missing = isLive(row) ? missingExpectation(conditions, context) : undefined;
  if (missing !== undefined) return missing;
  const { type, id, fence } = conditions;
  // A pack checks the locks of its own entities itself. A fence that was sent is checked in any case.
  const isFree = fence === undefined && (kind?.ownedBy !== undefined || !isAnyEnforced(context.state));
  const unguarded = isFree ? undefined : unguardedWrite(pathOfEntity(type, id), fence, context);
  return unguarded ?? unmetExpectation(row, conditions);
}

/**
 * Refuses a change that must expect a version and does not. It is checked before the lock, which may emit events: this
 * refusal is not recorded.
 */
export function missingExpectation(
  { type, id, expected_version: version, expected_revision: revision }: Conditions,
  { mustExpect }: DecideContext,
): Decision | undefined {
  if (!mustExpect || version !== undefined || revision !== undefined) return undefined;
  return { outcome: refusal("concurrency_etag_required", { type, id }), events: [] };
}

/**
 * Checks the caller's expectations. Undefined means that all hold. The order is part of the contract: contradictions,
 * then versions, then fields. With `if_unchanged` only the named fields count, so disjoint edits need no retry.
 */
function unmetExpectation(row: EntityRow | undefined, conditions: Conditions): Decision | undefined {
  const expectation = expectationOf(conditions);
  if (expectation === "contradictory") return contradiction(conditions);
  const isExpected = expectation !== undefined && meets(row, expectation);
  const fields = conditions.if_unchanged;
  if (fields === undefined) {
    return expectation === undefined || isExpected ? undefined : conflict(row, conditions, expectation.version);
  }
  const named = fields.filter((field) => typeof field === "string");
  if (named.length > 0 && expectation === undefined) return withoutBase(named);
  const changed = fields.filter((field) => (typeof field === "string" ? !isExpected : !holds(row, field)));
  if (changed.length === 0) return undefined;
  if (expectation !== undefined) return conflict(row, conditions, expectation.version);
  const pointers = changed.map((field) => (typeof field === "string" ? field : field.pointer));
  return { outcome: refusal("field_changed", { ...currentState(row, conditions), pointers }), events: [] };
}

function expectationOf(conditions: Conditions): Expectation | undefined | "contradictory" {
  const { expected_version: version, expected_revision: revision } = conditions;
  if (revision === undefined) return version === undefined ? undefined : { version, epoch: undefined };
  const [epoch = "", revised = ""] = revision.split(".");
  if (version !== undefined && version !== Number(revised)) return "contradictory";
  return { version: Number(revised), epoch: Number(epoch) };
}

function meets(row: EntityRow | undefined, expectation: Expectation): boolean {
  if (currentVersion(row) !== expectation.version) return false;
  return expectation.epoch === undefined || row?.epoch === expectation.epoch;
}

function holds(row: EntityRow | undefined, field: ExpectedField): boolean {
  const found = isLive(row) ? valueAt(row.value, parsePointer(field.pointer) ?? []) : undefined;
  if (found === undefined || field.value === undefined) return found === field.value;
  return sameJson(found, field.value as Json);
}

/**
 * The refusal and the event that records it. The event has exactly these four fields. The explanation is derived from
 * history.
 */
function conflict(row: EntityRow | undefined, conditions: Conditions, expectedVersion: number): Decision {
  const current = currentState(row, conditions);
  const event: Event = {
    type: "entity.conflict",
    subject: subjectOf(conditions.type, conditions.id),
    data: {
      entity_id: conditions.id,
      expected_version: expectedVersion,
      current_version: currentVersion(row),
      reason: conflictReason,
    },
  };
  return {
    outcome: refusal("concurrency_mismatch", { ...current, expected_version: expectedVersion }),
    events: [event],
  };
}

function currentState(row: EntityRow | undefined, target: Conditions) {
  return {
    type: target.type,
    id: target.id,
    current_version: currentVersion(row),
    current_revision: isLive(row) ? revisionOf(row) : null,
  };
}

function contradiction(conditions: Conditions): Decision {
  const message = `contradicts expected_version ${String(conditions.expected_version)}`;
  return invalid([{ pointer: "/expected_revision", message }]);
}

function withoutBase(pointers: readonly string[]): Decision {
  const message = `${pointers.join(", ")}: the base version is missing. Send expected_version, expected_revision or {pointer, value}`;
  return invalid([{ pointer: "/if_unchanged", message }]);
}

export function invalid(issues: readonly { pointer: string; message: string }[]): Decision {
  return { outcome: refusal("input_invalid", { issues: issues.map((issue) => ({ ...issue })) }), events: [] };
}
