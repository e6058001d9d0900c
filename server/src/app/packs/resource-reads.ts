import { resourceOperationName } from "@holdfast/sdk/contract";
import type { Resource } from "@holdfast/sdk/contract";
import type { Engine } from "../../engine/engine.ts";
import { findEntity, isLive, representationOf } from "../../features/entities/entity-table.ts";
import type { Outcome } from "../../machine/entry.ts";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { done } from "../../machine/refusal.ts";
import { allPacks } from "./all-packs.ts";
import type { PackRules } from "../../packs/pack-rules.ts";
import { getEntity } from "../reads/entity-reads.ts";
import type { Read } from "../reads/read.ts";

/** The reads of every resource of every pack. */
export const resourceReads: readonly (readonly [string, Read])[] = allPacks.flatMap((pack) =>
  pack.contract.resources.flatMap((resource): readonly (readonly [string, Read])[] => [
    [
      resourceOperationName(resource, "get"),
      (engine: Engine, input: JsonObject) => getEntity(engine, { ...input, type: resource.type } as never),
    ],
    [
      resourceOperationName(resource, "list"),
      (engine: Engine, input: JsonObject) => listResources(engine, pack, resource, input),
    ],
  ]),
);

function listResources(engine: Engine, pack: PackRules, resource: Resource, input: JsonObject): Promise<Outcome> {
  return engine.scan((state) => {
    const { ids, next } = pack.list(state, resource, input);
    const rows = ids.map((id) => findEntity(state, { type: resource.type, id })).filter(isLive);
    return done({ items: rows.map(representationOf), next });
  });
}
