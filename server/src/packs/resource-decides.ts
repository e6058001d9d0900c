/** The parts that all packs share: the operations of every resource, and the switch of the pack. */
import { resourceOperationName } from "@holdfast/sdk/contract";
import type { Pack, Resource, ResourceVerb } from "@holdfast/sdk/contract";
import { createEntity } from "../features/entities/create-entity.ts";
import { deleteEntity } from "../features/entities/delete-entity.ts";
import { findEntity, isLive } from "../features/entities/entity-table.ts";
import type { Kind, KindOf } from "../features/entities/kind.ts";
import { patchEntity } from "../features/entities/patch-entity.ts";
import { changeByKind } from "../features/entities/change-by-kind.ts";
import { ruleOf } from "../features/rule-of.ts";
import { currentEpoch, spaceRow } from "../features/space/space-table.ts";
import type { DecideContext, Decision, Rule } from "../machine/feature.ts";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import { refusal } from "../machine/refusal.ts";

export type DecideResource = (input: JsonObject, context: DecideContext) => Decision;

/** The rules of a pack: one per write operation of its contract. A missing one stops the start. */
export function packRules(
  pack: Pack,
  decides: Readonly<Record<string, DecideResource>>,
): Readonly<Record<string, Rule>> {
  const writes = pack.operations.filter(({ kind }) => kind === "write");
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
  const isOff = spaceRow(context.state).settings.component_toggles[pack.name] === false;
  if (!isOff) return decide(input, context);
  return { outcome: refusal(`${pack.name}.off`, { toggle: `component_toggles.${pack.name}` }), events: [] };
}

/** The decisions of every resource. `initial` are the fields of a new resource that its creator cannot set. */
export function resourceDecides(resource: Resource, kind: Kind, initial: JsonObject): Record<string, DecideResource> {
  const kindOf: KindOf = (type) => (type === kind.type ? kind : undefined);
  const { type } = kind;
  const [create, patch, remove] = [createEntity(kindOf), patchEntity(kindOf), deleteEntity(kindOf)];
  const setArchived =
    (archived: boolean): DecideResource =>
    (input, context) =>
      changeByKind(kind, { input, event: archived ? "archived" : "unarchived" }, context, (value) => ({
        ...(value as JsonObject),
        archived,
      }));
  const decides: Record<Exclude<ResourceVerb, "get" | "list">, DecideResource> = {
    create: ({ id, fence, ...fields }, context) => {
      const target = { type, id: typeof id === "string" ? id : newId(resource, context) };
      const value: Json = { ...fields, ...initial, archived: false };
      const entity = { ...target, value };
      return create(typeof fence === "string" ? { ...entity, fence } : entity, context);
    },
    update: ({ changes, ...target }, context) => patch({ ...target, type, merge: changes } as never, context),
    archive: setArchived(true),
    unarchive: setArchived(false),
    delete: (target, context) => remove({ ...target, type } as never, context),
  };
  return Object.fromEntries(
    Object.entries(decides).map(([verb, decide]) => [resourceOperationName(resource, verb as ResourceVerb), decide]),
  );
}

/** Makes an id for a new resource without one. It contains the position of the entry, so it is unique and short. */
function newId(resource: Resource, { state, position }: DecideContext): string {
  const epoch = currentEpoch(state);
  const id = `${resource.name}-${position}${epoch === 1 ? "" : `-${epoch}`}`;
  // A caller may already have chosen this id.
  for (let number = 0; ; number += 1) {
    const candidate = number === 0 ? id : `${id}.${number}`;
    if (!isLive(findEntity(state, { type: resource.type, id: candidate }))) return candidate;
  }
}
