/** Writes of one record under the lock of its rule. */
import type { WorkspacePlace } from "@holdfast/sdk/contract";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import { defined } from "@holdfast/sdk/base/defined";
import type { Kind } from "../../features/entities/kind.ts";
import { writeByKind } from "../../features/entities/write-by-kind.ts";
import type { KindWrite, KindWritten } from "../../features/entities/write-by-kind.ts";
import { missingExpectation } from "../../features/entities/conditions.ts";
import { findEntity, isLive } from "../../features/entities/entity-table.ts";
import type { DecideContext, Decision } from "../../machine/feature.ts";
import { done } from "../../machine/refusal.ts";
import { decideUnder } from "./access.ts";
import type { Access, LockProof } from "./access.ts";
import { findRule, locksOfRule } from "./find-rule.ts";
import { recordId } from "./record-place.ts";
import type { RecordPlace } from "./record-place.ts";

/** The version that a caller expects. */
interface RecordExpectation {
  readonly expected_version?: number;
  readonly expected_revision?: string;
}

/** The members that the inputs of all writes share. */
export interface RecordInput extends WorkspacePlace, LockProof, RecordExpectation {}

/** The access of an operation whose rule has one row. */
export function accessOf(operation: string, input: WorkspacePlace & LockProof, more: Partial<Access> = {}): Access {
  const rule = findRule(operation);
  const { fence, lock } = input;
  return { rule, place: input, locks: locksOfRule(rule, input), proof: defined({ fence, lock }), ...more };
}

/** The conditions of a write. The lock was checked before, so the fence is left out. */
function targetAt(place: RecordPlace, input: RecordExpectation): KindWrite["target"] {
  const { expected_version, expected_revision } = input;
  return defined({ id: recordId(place), expected_version, expected_revision });
}

interface RecordWrite {
  readonly kind: Kind;
  readonly place: RecordPlace;
  readonly input: RecordInput;
  /** The change, or a function that makes it under the lock, or refuses. */
  readonly change: KindWrite["change"] | (() => KindWrite["change"] | Decision);
  /** The verb under which the change is published. */
  readonly name?: string;
  /** Runs after the write, in its entry. */
  readonly then?: (written: KindWritten) => Decision | undefined;
}

/** Decides a write of one record: the form of the request, the access, the version, the value. */
export function writeRecord(context: DecideContext, access: Access, write: RecordWrite): Decision {
  const { kind, place, input } = write;
  const target = targetAt(place, input);
  const conditions = { ...target, type: kind.type };
  const isThere = isLive(findEntity(context.state, conditions));
  const unexpected = isThere ? missingExpectation(conditions, context) : undefined;
  if (unexpected !== undefined) return unexpected;
  return decideUnder(context, access, () => {
    const change = typeof write.change === "function" ? write.change() : write.change;
    if ("outcome" in change) return change;
    const written = writeByKind(kind, defined({ target, name: write.name, change }), context);
    if ("outcome" in written) return written;
    return write.then?.(written) ?? writtenReply(place, written);
  });
}

export function writtenReply(place: RecordPlace, { data }: KindWritten, more: JsonObject = {}): Decision {
  const { project, map, sketch } = place;
  const ids = defined({ project, map, sketch });
  return { outcome: done({ ...ids, ...writtenFacts(data), ...more }), events: [], attachment: {} };
}

export function writtenFacts({ version, revision, changed, previous_revision }: JsonObject): JsonObject {
  return defined({ version, revision, changed, previous_revision });
}

/** The value of a new record without its absent members. */
export function newValue(members: Readonly<Record<string, Json | undefined>>): JsonObject {
  return defined(members) as JsonObject;
}
