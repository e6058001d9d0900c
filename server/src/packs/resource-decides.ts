/** The parts that all packs share: the operations of every resource, and the switch of the pack. */
import { defined } from "@holdfast/sdk/base/defined";
import { isArchivable, resourceOperationName, verbsOf } from "@holdfast/sdk/contract";
import type { Pack, Resource, ResourceVerb } from "@holdfast/sdk/contract";
import { findEntity, isLive } from "../features/entities/entity-table.ts";
import type { Kind } from "../features/entities/kind.ts";
import { decideByKind } from "../features/entities/write-by-kind.ts";
import type { KindWrite } from "../features/entities/write-by-kind.ts";
import { ruleOf } from "../features/rule-of.ts";
import { currentEpoch } from "../features/space/space-table.ts";
import type { DecideContext, Decision, Rule } from "../machine/feature.ts";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import { packOff } from "./pack-off.ts";

export type DecideResource = (input: JsonObject, context: DecideContext) => Decision;

/** The rules of a pack: one per write of its contract that is a command. A missing one stops the start. */
export function packRules(
  pack: Pack,
  decides: Readonly<Record<string, DecideResource>>,
): Readonly<Record<string, Rule>> {
  const writes = pack.operations.filter(({ kind, body }) => kind === "write" && body === undefined);
  return Object.fromEntries(
    writes.map((operation) => {
      const decide = decides[operation.name];
      if (decide === undefined) throw new Error(`the pack ${pack.name} has no rule for ${operation.name}`);
      return [
        operation.name,
        ruleOf(operation, (input, context) => decideIfOn(pack, decide, input as JsonObject, context)),
      ];
    }),
  );
}

function decideIfOn(pack: Pack, decide: DecideResource, input: JsonObject, context: DecideContext): Decision {
  const off = packOff(context.state, pack);
  return off === undefined ? decide(input, context) : { outcome: off, events: [] };
}

/** The decisions of a resource. `initial` are the fields of a new resource that its creator cannot set. */
export function resourceDecides(resource: Resource, kind: Kind, initial: JsonObject): Record<string, DecideResource> {
  const decides = verbDecides(resource, kind, initial);
  const writes = verbsOf(resource).filter((verb) => verb !== "get" && verb !== "list");
  return Object.fromEntries(writes.map((verb) => [resourceOperationName(resource, verb), decides[verb]]));
}

function verbDecides(
  resource: Resource,
  kind: Kind,
  initial: JsonObject,
): Record<Exclude<ResourceVerb, "get" | "list">, DecideResource> {
  const setArchived =
    (archived: boolean): DecideResource =>
    (input, context) => {
      const update = (value: Json): Json => ({ ...(value as JsonObject), archived });
      const name = archived ? "archived" : "unarchived";
      return decideByKind(kind, { target: targetOf(input), name, change: { update } }, context);
    };
  return {
    create: ({ id, fence, ...fields }, context) => {
      const target = defined({ id: typeof id === "string" ? id : newResourceId(resource, context), fence });
      const create = { ...fields, ...initial, ...defined({ archived: isArchivable(resource) ? false : undefined }) };
      return decideByKind(kind, { target: targetOf(target), change: { create } }, context);
    },
    update: ({ changes, ...input }, context) =>
      decideByKind(kind, { target: targetOf(input), change: { merge: changes as JsonObject } }, context),
    archive: setArchived(true),
    unarchive: setArchived(false),
    delete: (input, context) => decideByKind(kind, { target: targetOf(input), change: { delete: true } }, context),
  };
}

/** The target and the conditions of a change. The operation checked their types. */
export function targetOf(input: JsonObject): KindWrite["target"] {
  return input as unknown as KindWrite["target"];
}

/** Makes an id for a new resource without one. It contains the position of the entry, so it is unique and short. */
export function newResourceId(resource: Resource, { state, position }: DecideContext): string {
  const epoch = currentEpoch(state);
  const id = `${resource.name}-${position}${epoch === 1 ? "" : `-${epoch}`}`;
  // A caller may already have chosen this id.
  for (let number = 0; ; number += 1) {
    const candidate = number === 0 ? id : `${id}.${number}`;
    if (!isLive(findEntity(state, { type: resource.type, id: candidate }))) return candidate;
  }
}
