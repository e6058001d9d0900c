import { entityOperations } from "@holdfast/sdk/contract";
import type { DecideContext, Decision, Feature, RestsOn, Rule } from "../../machine/feature.ts";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import { ruleOf, rulesOf } from "../rule-of.ts";
import { createEntity } from "./create-entity.ts";
import { deleteEntity } from "./delete-entity.ts";
import { entityTable } from "./entity-table.ts";
import { entityFolds } from "./entity-folds.ts";
import { ownedRefusal } from "./kind.ts";
import type { KindContext } from "./kind-context.ts";
import type { Kind, KindOf, KindOperation } from "./kind.ts";
import { patchEntity } from "./patch-entity.ts";
import { replaceEntity } from "./replace-entity.ts";
import { retirementTable } from "./retire-entity.ts";
import { decideByKind } from "./write-by-kind.ts";

/** Versioned JSON entities of any type. A kind gives a type its schema, its rules and its own commands. */
export function entitiesFeature(kinds: readonly Kind[]): Feature {
  const byType = new Map<string, Kind>();
  for (const kind of kinds) {
    if (byType.has(kind.type)) throw new Error(`two kinds have the type ${kind.type}`);
    byType.set(kind.type, kind);
  }
  const kindOf: KindOf = (type) => byType.get(type);
  const rules = rulesOf(entityOperations, {
    "create-entity": unlessOwned(kindOf, createEntity(kindOf)),
    "replace-entity": unlessOwned(kindOf, replaceEntity(kindOf)),
    "patch-entity": unlessOwned(kindOf, patchEntity(kindOf)),
    "delete-entity": unlessOwned(kindOf, deleteEntity(kindOf)),
  });
  return {
    name: "entities",
    needs: ["space", "locks"],
    tables: [entityTable, retirementTable],
    rules: { ...rules, ...kindRules(kinds, rules) },
    folds: entityFolds,
    reactions: {},
    restsOn: entityRestsOn,
    timers: [],
  };
}

/** The entities of a pack may have rules that only its own operations keep. */
function unlessOwned<Input extends { readonly type: string }>(
  kindOf: KindOf,
  decide: (input: Input, context: DecideContext) => Decision,
): (input: Input, context: DecideContext) => Decision {
  return (input, context) => ownedRefusal(kindOf(input.type), context) ?? decide(input, context);
}

/** An entity depends on its last whole value and on every entry after it. A retired one has no state. */
const restsOn: RestsOn = (state, subject, position) =>
  (state.rows(entityTable).get(subject)?.base ?? Infinity) <= position;

const entityRestsOn: Readonly<Record<string, RestsOn>> = {
  "entity.created": restsOn,
  "entity.replaced": restsOn,
  "entity.merged": restsOn,
  "entity.patched": restsOn,
  // The state keeps no data of a deletion, a retirement or a conflict.
  "entity.deleted": () => false,
  "entity.retired": () => false,
  "entity.conflict": () => false,
};

function kindRules(kinds: readonly Kind[], existing: Readonly<Record<string, Rule>>): Readonly<Record<string, Rule>> {
  const rules: Record<string, Rule> = {};
  for (const kind of kinds) {
    for (const command of kind.commands) {
      const { name } = command.operation;
      if (Object.hasOwn(existing, name) || Object.hasOwn(rules, name))
        throw new Error(`two operations have the name ${name}`);
      rules[name] = kindCommandRule(kind, command);
    }
  }
  return rules;
}

/** Decides a command of a kind: the conditions, then the command, then the rule of every change. */
function kindCommandRule(kind: Kind, { operation, event, decide }: KindOperation): Rule {
  return ruleOf(operation, (input, context) => {
    const target = input as JsonObject & { readonly id: string };
    const update = (current: Json, kindContext: KindContext) => decide(current, target, kindContext);
    return decideByKind(kind, { target, name: event, change: { update } }, context);
  });
}
