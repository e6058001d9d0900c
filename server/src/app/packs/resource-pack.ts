import { resourceOperationName, verbsOf } from "@holdfast/sdk/contract";
import type { Resource } from "@holdfast/sdk/contract";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { findEntity, isLive, representationOf } from "../../features/entities/entity-table.ts";
import type { Kind } from "../../features/entities/kind.ts";
import { done } from "../../machine/refusal.ts";
import type { ListResources, PackRules } from "../../packs/pack-rules.ts";
import type { AppRead } from "../reads/app-read.ts";
import { getEntity } from "../reads/entity-reads.ts";
import { readRefusal } from "../reads/read-refusal.ts";
import type { ServerPack } from "./server-pack.ts";

/**
 * A pack of resources: `get` and `list` of each are answered from its entities. The read rule of the kind is asked first.
 */
export function resourcePack({ list, reads = {}, ...rules }: PackRules): ServerPack {
  const ofResources = rules.contract.resources.flatMap((resource): readonly (readonly [string, AppRead])[] => {
    const kind = rules.kinds.find(({ type }) => type === resource.type);
    const verbs = verbsOf(resource);
    const get = [resourceOperationName(resource, "get"), getResource(resource, kind)] as const;
    return [
      ...(verbs.includes("get") ? [get] : []),
      ...(verbs.includes("list") && list !== undefined
        ? [[resourceOperationName(resource, "list"), listResources(resource, kind, list)] as const]
        : []),
    ];
  });
  return { ...rules, reads: { ...Object.fromEntries(ofResources), ...reads } };
}

function getResource({ type }: Resource, kind: Kind | undefined): AppRead {
  return {
    view: kind?.readRule === undefined ? "keys" : "scan",
    run: (input: JsonObject, context) =>
      readRefusal(kind, context, input["id"] as string) ??
      getEntity(context.services.engine, { ...input, type } as never),
  };
}

function listResources(resource: Resource, kind: Kind | undefined, list: ListResources): AppRead {
  return {
    view: "scan",
    run: (input: JsonObject, context) => {
      const refused = readRefusal(kind, context);
      if (refused !== undefined) return refused;
      const { state } = context;
      const { ids, next } = list(state, resource, input);
      const rows = ids.map((id) => findEntity(state, { type: resource.type, id })).filter(isLive);
      return done({ items: rows.map(representationOf), next });
    },
  };
}
