/**
 * The one way in which packs change entities. A write is decided like any other: its conditions, the rule of the kind,
 * the limits. It is folded at once, so a later write of the same command sees it, and all of them share one entry.
 */
import { canonicalValue } from "@holdfast/sdk/json/canonical-value";
import type { InputFault } from "@holdfast/sdk/json/input-fault";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import { sameJson } from "@holdfast/sdk/json/same-json";
import type { DecideContext, Decision } from "../../machine/feature.ts";
import { done } from "../../machine/refusal.ts";
import { changed, missing, unchanged } from "./change.ts";
import { unmetCondition } from "./conditions.ts";
import type { Conditions } from "./conditions.ts";
import { createEntity } from "./create-entity.ts";
import { deleteEntity } from "./delete-entity.ts";
import { findEntity, isLive } from "./entity-table.ts";
import { kindContext } from "./kind-context.ts";
import type { KindContext } from "./kind-context.ts";
import { KindRefusal } from "./kind-refusal.ts";
import { kindRefusal, kindViolation } from "./kind.ts";
import type { Kind, KindOf } from "./kind.ts";
import { patchEntity } from "./patch-entity.ts";
import { replaceEntity } from "./replace-entity.ts";
import { entityLimits, tooLarge } from "./size.ts";

/** A change of one entity. */
type KindChange =
  /** The entity must not exist. */
  | { readonly create: Json }
  /** Creates the entity, or replaces its value. */
  | { readonly value: Json }
  /** The next value, made from the current one. The entity must exist. */
  | { readonly update: (current: Json, context: KindContext) => Json | KindRefusal }
  | { readonly merge: JsonObject }
  | { readonly patch: Json }
  | { readonly delete: true };

/** A write of a pack. `name` is the verb under which the change is published. */
export interface KindWrite {
  readonly target: Omit<Conditions, "type">;
  readonly name?: string;
  readonly change: KindChange;
}

/** A write that was decided and folded. */
export interface KindWritten {
  /** Type, id, version, revision, the revision before, and whether it changed. */
  readonly data: JsonObject;
  /** The value, its time and its author. They are part of the reply, and not recorded. */
  readonly attachment: JsonObject;
}

/** Writes an entity. The result is the refusal, or what was written. */
export function writeByKind(kind: Kind, write: KindWrite, context: DecideContext): KindWritten | Decision {
  const decision = decideWrite(kind, write, context);
  const { outcome, events, attachment = {} } = decision;
  if (outcome.kind === "refusal") return decision;
  for (const event of events) context.emit(event);
  return { data: outcome.data, attachment };
}

/** Writes several entities, or none: the first refusal rolls back the writes before it. */
export function writeAllByKind(
  writes: readonly (readonly [kind: Kind, write: KindWrite])[],
  context: DecideContext,
): readonly KindWritten[] | Decision {
  return context.attempt<readonly KindWritten[] | Decision>(
    () => {
      const written: KindWritten[] = [];
      for (const [kind, write] of writes) {
        const result = writeByKind(kind, write, context);
        if ("outcome" in result) return result;
        written.push(result);
      }
      return written;
    },
    (result) => !("outcome" in result),
  );
}

/** The decision of a command that is one write. */
export function decideByKind(kind: Kind, write: KindWrite, context: DecideContext): Decision {
  const result = writeByKind(kind, write, context);
  if ("outcome" in result) return result;
  return { outcome: done(result.data), events: [], attachment: result.attachment };
}

function decideWrite(kind: Kind, { target, name, change }: KindWrite, context: DecideContext): Decision {
  const input = { ...target, type: kind.type };
  const kindOf: KindOf = (type) => (type === kind.type ? kind : undefined);
  const options = { name, isCompact: true, isMade: true };
  if ("update" in change) return decideUpdate(kind, { input, name, update: change.update }, context);
  // The contract's inputs have mutable lists, and no rule changes them.
  const decided = (decide: (input: never, context: DecideContext) => Decision, part: JsonObject): Decision =>
    decide({ ...input, ...part } as never, context);
  if ("delete" in change) return decided(deleteEntity(kindOf), {});
  const patch = patchEntity(kindOf, options);
  if ("merge" in change) return withCanonical(change.merge, context, (merge) => decided(patch, { merge }));
  if ("patch" in change) return withCanonical(change.patch, context, (steps) => decided(patch, { patch: steps }));
  const isNew = "create" in change || !isLive(findEntity(context.state, input));
  const put = isNew ? createEntity(kindOf, options) : replaceEntity(kindOf, options);
  return withCanonical("create" in change ? change.create : change.value, context, (value) => decided(put, { value }));
}

interface Update {
  readonly input: Conditions;
  readonly name: string | undefined;
  readonly update: (current: Json, context: KindContext) => Json | KindRefusal;
}

function decideUpdate(kind: Kind, { input, name, update }: Update, context: DecideContext): Decision {
  const row = findEntity(context.state, input);
  const unmet = unmetCondition(row, input, context, kind);
  if (unmet !== undefined) return unmet;
  if (!isLive(row)) return missing(row, input);
  const made = update(row.value, kindContext(context, input));
  if (made instanceof KindRefusal) return kindRefusal(kind, made);
  return withCanonical(made, context, (value) => {
    if (sameJson(row.value, value)) return unchanged(row);
    const violation = kindViolation(kind, { value, previous: row.value, target: input, isMade: true }, context);
    if (violation !== undefined) return violation;
    const data = name === undefined ? { value } : { value, name };
    return changed({ target: input, row, value, event: { type: "entity.replaced", data } }, context);
  });
}

/** Decides with the canonical form of what a pack or a kind made. A value that is not JSON is a bug in it. */
function withCanonical(made: Json, { command }: DecideContext, decide: (canonical: Json) => Decision): Decision {
  const canonical = canonicalValue(made, entityLimits);
  return canonical.ok ? decide(canonical.value) : tooLargeOrDefect(command.operation, canonical.fault);
}

function tooLargeOrDefect(name: string, fault: InputFault): Decision {
  if (fault.reason.startsWith("too_")) return tooLarge(fault.reason);
  throw new Error(`${name} made a value that is not canonical: ${fault.reason} at "${fault.pointer}"`);
}
