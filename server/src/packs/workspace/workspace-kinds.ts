/**
 * The kinds of the records. Only the operations of the pack write them. Their rules hold for every write: parents exist,
 * limits hold, geometry is valid. Their read rules ask the rule table, so a general read needs the same lock.
 */
import {
  workspaceApproval,
  workspaceMap,
  workspaceObject,
  workspaceProject,
  workspaceSketch,
  workspaceTemplate,
} from "@holdfast/sdk/contract";
import type { Resource } from "@holdfast/sdk/contract";
import { measure } from "@holdfast/sdk/json/measure";
import Type from "typebox";
import { defineKind } from "../../features/entities/kind.ts";
import type { Kind, KindDefinition } from "../../features/entities/kind.ts";
import type { KindContext } from "../../features/entities/kind-context.ts";
import { KindRefusal, refuse } from "../../features/entities/kind-refusal.ts";
import type { ReadContext } from "../../machine/read-context.ts";
import { lockReadRefusal } from "./access.ts";
import { findRule, locksOfRule } from "./find-rule.ts";
import { shapeFault } from "./geometry/shape-fault.ts";
import { childCountTable } from "./workspace-tables.ts";
import { isRecordId, placeOfId, workspaceLimits } from "./record-place.ts";
import type { ObjectValue } from "./record-place.ts";

type RecordRule = NonNullable<KindDefinition<Type.TSchema, Record<string, never>>["rule"]>;

/** A kind whose general reads need the lock of the operation that reads it. */
function recordKind(resource: Resource, readBy: string | undefined, rule: RecordRule): Kind {
  return defineKind({
    type: resource.type,
    codes: "workspace",
    ownedBy: "workspace",
    value: Type.Object({ ...resource.fields, ...resource.shown }, { additionalProperties: false }),
    rule,
    readRule: readBy === undefined ? undefined : (context, id) => generalReadRefusal(context, readBy, id),
  });
}

function generalReadRefusal(context: ReadContext, readBy: string, id: string | undefined): KindRefusal | undefined {
  if (id === undefined) return refuse("list_closed");
  const place = placeOfId(id);
  const rule = findRule(readBy);
  const refused = lockReadRefusal(context, { rule, place, locks: locksOfRule(rule, place), proof: {} });
  if (refused === undefined) return undefined;
  // A code of the kind gets the name of the pack again. A project that does not exist is not found by the read itself.
  const isOwn = refused.code.startsWith("workspace.");
  return isOwn ? new KindRefusal(refused.code.slice("workspace.".length), refused.data, false) : undefined;
}

interface ParentLimit {
  readonly parent: Resource;
  readonly counted: string;
  readonly limit: number;
}

/** A new record needs its parent, a valid id, and room in the parent. */
function childFault({ id, get, state }: KindContext, { parent, counted, limit }: ParentLimit): KindRefusal | undefined {
  const parentId = id.slice(0, id.lastIndexOf("/"));
  if (!isRecordId(id) || get(parent.type, parentId) === undefined)
    return refuse("parent_not_found", { type: parent.type, id: parentId });
  const { children } = state.rows(childCountTable).get(parentId) ?? { children: 0 };
  return children < limit ? undefined : refuse("too_many", { counted, limit });
}

const below =
  (limit: ParentLimit): RecordRule =>
  (_next, previous, context) =>
    previous === undefined ? childFault(context, limit) : undefined;

const free: RecordRule = () => undefined;

const objectRule: RecordRule = (next, previous, context) => {
  const { objectsPerSketch: limit, propertiesBytes } = workspaceLimits;
  const parent = { parent: workspaceSketch, counted: "objects of a sketch", limit };
  const childless = previous === undefined ? childFault(context, parent) : undefined;
  if (childless !== undefined || next === undefined) return childless;
  const value = next as ObjectValue;
  const object = context.id.slice(context.id.lastIndexOf("/") + 1);
  const fault = shapeFault(value);
  if (fault !== undefined) return refuse("geometry_invalid", { object, reason: fault });
  const size = { bytesMax: propertiesBytes, depthMax: Infinity, membersMax: Infinity };
  const isSmall = value.properties === undefined || measure(value.properties, size).ok;
  return isSmall ? undefined : refuse("too_many", { counted: "bytes of the properties", limit: propertiesBytes });
};

export const projectKind = recordKind(workspaceProject, "workspace.get-project", free);

export const mapKind = recordKind(
  workspaceMap,
  "workspace.get-map",
  below({ parent: workspaceProject, counted: "maps of a project", limit: workspaceLimits.mapsPerProject }),
);

export const sketchKind = recordKind(
  workspaceSketch,
  "workspace.get-sketch",
  below({ parent: workspaceMap, counted: "sketches of a map", limit: workspaceLimits.sketchesPerMap }),
);

export const objectKind = recordKind(workspaceObject, "workspace.get-object", objectRule);
export const templateKind = recordKind(workspaceTemplate, undefined, free);
export const approvalKind = recordKind(workspaceApproval, "workspace.list-approvals", free);

export const workspaceKinds: readonly Kind[] = [
  projectKind,
  mapKind,
  sketchKind,
  objectKind,
  templateKind,
  approvalKind,
];
