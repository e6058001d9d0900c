import { resourceOperationName, verbsOf } from "@holdfast/sdk/contract";
import type { Resource } from "@holdfast/sdk/contract";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { findEntity, isLive, representationOf } from "../../features/entities/entity-table.ts";
import { done } from "../../machine/refusal.ts";
import type { ListResources, PackRules } from "../../packs/pack-rules.ts";
import type { AppRead } from "../reads/app-read.ts";
import { getEntity } from "../reads/entity-reads.ts";
import type { ServerPack } from "./server-pack.ts";

/** A pack of resources: `get` and `list` of each are answered from its entities. */
export function resourcePack({ list, reads = {}, ...rules }: PackRules): ServerPack {
  const ofResources = rules.contract.resources.flatMap((resource): readonly (readonly [string, AppRead])[] => {
    const verbs = verbsOf(resource);
    return [
      ...(verbs.includes("get") ? [[resourceOperationName(resource, "get"), getResource(resource)] as const] : []),
      ...(verbs.includes("list") && list !== undefined
        ? [[resourceOperationName(resource, "list"), listResources(resource, list)] as const]
        : []),
    ];
  });
  return { ...rules, reads: { ...Object.fromEntries(ofResources), ...reads } };
}

function getResource({ type }: Resource): AppRead {
  return {
    view: "keys",
    run: (input: JsonObject, { services }) => getEntity(services.engine, { ...input, type } as never),
  };
}

function listResources(resource: Resource, list: ListResources): AppRead {
  return {
    view: "scan",
    run: (input: JsonObject, { state }) => {
      const { ids, next } = list(state, resource, input);
      const rows = ids.map((id) => findEntity(state, { type: resource.type, id })).filter(isLive);
      return done({ items: rows.map(representationOf), next });
    },
  };
}
