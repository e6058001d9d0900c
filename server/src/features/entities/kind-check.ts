import { sameJson } from "@holdfast/sdk/json/same-json";
import { isObject } from "@holdfast/sdk/json/json";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import type { DecideContext, Decision } from "../../machine/feature.ts";
import { refusal } from "../../machine/refusal.ts";
import type { StateReader } from "../../machine/state.ts";
import { currentVersion, entityTable, findEntity, subjectOf } from "./entity-table.ts";

/** A check of a kind that runs in a thread, outside the machine. */
export interface KindCheck {
  /** A new name for a new meaning, such as `prices/2`: recorded evidence has the name. */
  readonly name: string;
  /** The URL of a module that exports `check({next, previous, read}) → {ok, errors}`. */
  readonly module: URL;
}

interface CheckedChange {
  readonly type: string;
  readonly codes: string;
  readonly id: string;
  readonly value: Json | undefined;
  /** A command of a kind or a pack made the value, and may have used the time. */
  readonly isMade: boolean;
}

/**
 * The refusal of a change by the check of its kind; undefined if it is allowed. Evidence fits if it comes from this
 * check, and if the entity and everything that the check read still have the same versions. Otherwise the decision asks
 * for new evidence about the value that it would set.
 */
export function checkViolation(
  { name }: KindCheck,
  { type, codes, id, value, isMade }: CheckedChange,
  { command, state }: DecideContext,
): Decision | undefined {
  const base = currentVersion(findEntity(state, { type, id }));
  const { evidence } = command;
  if (fits(evidence, { name, base, next: isMade ? value : undefined }, state)) {
    if (evidence["ok"] === true) return undefined;
    const data = { check: name, errors: evidence["errors"] ?? [] };
    return { outcome: refusal(`${codes}.check_failed`, data), events: [] };
  }
  const change = value === undefined ? { base } : { base, next: value };
  const input = isMade ? { ...change, isMade } : change;
  return {
    outcome: refusal("check_stale"),
    events: [],
    again: { check: name, unit: subjectOf(type, id), input },
  };
}

function fits(
  evidence: Json | undefined,
  expected: { readonly name: string; readonly base: number; readonly next: Json | undefined },
  state: StateReader,
): evidence is JsonObject {
  if (!isObject(evidence)) return false;
  const { check, base, reads, next } = evidence;
  if (check !== expected.name || base !== expected.base || !isObject(reads)) return false;
  if (expected.next !== undefined && (next === undefined || !sameJson(next, expected.next))) return false;
  const rows = state.rows(entityTable);
  return Object.entries(reads).every(([subject, version]) => currentVersion(rows.get(subject)) === version);
}
