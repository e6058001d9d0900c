/** The places of records, their ids, and the values of records. */
import type { approvalStates, approvedActions, WorkspacePlace, WorkspaceRole } from "@holdfast/sdk/contract";
import type { JsonObject } from "@holdfast/sdk/json/json";

export interface ProjectValue {
  readonly name: string;
  readonly description?: string;
  readonly layers?: readonly string[];
  readonly root?: string;
  readonly roles: Readonly<Record<string, WorkspaceRole>>;
  /** The job that restores the project. */
  readonly restoring?: string;
}

/** A point in pixels and in units. */
export interface CalibrationPoint {
  readonly x: number;
  readonly y: number;
  readonly u: number;
  readonly v: number;
}

export interface ObjectValue {
  readonly shape: "point" | "line" | "polygon" | "circle";
  readonly points: readonly number[];
  readonly holes?: readonly (readonly number[])[];
  readonly radius?: number;
  readonly properties?: JsonObject;
}

export interface TemplateValue {
  readonly name: string;
  readonly maps: readonly {
    readonly map: string;
    readonly name: string;
    readonly sketches?: readonly { readonly sketch: string; readonly name: string; readonly layer?: string }[];
  }[];
}

export interface ApprovalValue {
  readonly action: (typeof approvedActions)[number];
  readonly parameters: string;
  readonly requester: string;
  readonly requested_at: number;
  readonly state: (typeof approvalStates)[number];
  readonly decider?: string;
  readonly decided_at?: number;
  readonly note?: string;
}

/** A place with the object in it. */
export interface RecordPlace extends WorkspacePlace {
  readonly object?: string | undefined;
}

/** The id of the entity at a place: its ids, joined by slashes. */
export function recordId({ project, map, sketch, object }: RecordPlace): string {
  return [project, map, sketch, object].filter((id) => id !== undefined).join("/");
}

/** The place of an id. */
export function placeOfId(id: string): RecordPlace {
  const [project = "", map, sketch, object] = id.split("/");
  return { project, map, sketch, object };
}

const idPattern = /^(?!tmp$)(?!v\.)[a-z0-9][a-z0-9._-]{0,63}$/u;

/** True if each part of an id can be the id of a record. The storage reserves some names. */
export function isRecordId(id: string): boolean {
  return id.split("/").every((part) => idPattern.test(part));
}

/** Maximum numbers of records. */
export const workspaceLimits = {
  mapsPerProject: 1_000,
  sketchesPerMap: 1_000,
  objectsPerSketch: 100_000,
  rolesPerProject: 1_000,
  approvalsPerProject: 100,
  recordsPerTemplate: 500,
  propertiesBytes: 16_384,
} as const;

/** Time that a request for approval, and an approval, is valid. */
export const approvalMs = 24 * 60 * 60 * 1_000;
