import { canonicalValue } from "@holdfast/sdk/json/canonical-value";
import type { InputFault } from "@holdfast/sdk/json/input-fault";
import { sameJson } from "@holdfast/sdk/json/same-json";
import type { DecideContext, Decision, Rule } from "../../machine/feature.ts";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import { ruleOf } from "../rule-of.ts";
import { changed, missing, unchanged } from "./change.ts";
import { unmetCondition } from "./conditions.ts";
import type { Conditions } from "./conditions.ts";
import { findEntity, isLive } from "./entity-table.ts";
import { KindRefusal, kindContext, kindRefusal, kindViolation } from "./kind.ts";
import type { Kind, KindOperation } from "./kind.ts";
import { entityLimits, tooLarge } from "./size.ts";

/** Decides a command of a kind: the conditions, then the command, then the rule of every change. */
export function kindCommandRule(kind: Kind, command: KindOperation): Rule {
  return ruleOf(command.operation, (input, context) => runKindCommand(kind, command, input as JsonObject, context));
}

function runKindCommand(kind: Kind, command: KindOperation, input: JsonObject, context: DecideContext): Decision {
  const { event } = command;
  return changeByKind(kind, { input, event }, context, (value, target) =>
    command.decide(value, input, kindContext(context, target)),
  );
}

/** Sets the value that `make` returns, if the conditions and the rule of the kind allow it. */
export function changeByKind(
  kind: Kind,
  { input, event }: { readonly input: JsonObject; readonly event: string },
  context: DecideContext,
  make: (value: Json, target: Conditions) => Json | KindRefusal,
): Decision {
  const target = { ...input, type: kind.type } as unknown as Conditions;
  const row = findEntity(context.state, target);
  const unmet = unmetCondition(row, target, context);
  if (unmet !== undefined) return unmet;
  if (!isLive(row)) return missing(row, target);
  const made = make(row.value, target);
  if (made instanceof KindRefusal) return kindRefusal(kind, made);
  const canonical = canonicalValue(made, entityLimits);
  if (!canonical.ok) return tooLargeOrDefect(context.command.operation, canonical.fault);
  const { value } = canonical;
  if (sameJson(row.value, value)) return unchanged(row);
  const violation = kindViolation(kind, { value, previous: row.value, target }, context);
  if (violation !== undefined) return violation;
  return changed({ target, row, value, event: { type: "entity.replaced", data: { value, name: event } } }, context);
}

/** A value that is not JSON is a bug of the kind and must not reach an entry. */
function tooLargeOrDefect(name: string, fault: InputFault): Decision {
  if (fault.reason.startsWith("too_")) return tooLarge(fault.reason);
  throw new Error(`${name} returned a value that is not canonical: ${fault.reason} at "${fault.pointer}"`);
}
