import { checkOf, resourceOperationName } from "@holdfast/sdk/contract";
import type { Pack, Resource, ResourceVerb } from "@holdfast/sdk/contract";
import type { Engine } from "../../engine/engine.ts";
import { findEntity, isLive, representationOf } from "../../features/entities/entity-table.ts";
import type { Outcome } from "../../machine/entry.ts";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { done } from "../../machine/refusal.ts";
import { allPacks } from "./all-packs.ts";
import type { PackRules } from "../../packs/pack-rules.ts";
import { getEntity } from "../reads/entity-reads.ts";
import type { ReadOperation } from "../reads/read-operation.ts";

/** The reads of every resource of every pack. */
export const resourceReads: readonly (readonly [string, ReadOperation])[] = allPacks.flatMap((pack) =>
  pack.contract.resources.flatMap((resource) => [
    readOf(pack.contract, resource, "get", (engine, input) =>
      getEntity(engine, { ...input, type: resource.type } as never),
    ),
    readOf(pack.contract, resource, "list", (engine, input) => listResources(engine, pack, resource, input)),
  ]),
);

function readOf(
  { operations }: Pack,
  resource: Resource,
  verb: ResourceVerb,
  read: (engine: Engine, input: JsonObject) => Promise<Outcome>,
): readonly [string, ReadOperation] {
  const name = resourceOperationName(resource, verb);
  const operation = operations[name];
  if (operation === undefined) throw new Error(`no operation ${name} in the contract`);
  return [name, { check: checkOf(operation.input), read }];
}

function listResources(engine: Engine, pack: PackRules, resource: Resource, input: JsonObject): Promise<Outcome> {
  return engine.scan((state) => {
    const { ids, next } = pack.list(state, resource, input);
    const rows = ids.map((id) => findEntity(state, { type: resource.type, id })).filter(isLive);
    return done({ items: rows.map(representationOf), next });
  });
}
