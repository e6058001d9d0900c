import { workspaceProject } from "@holdfast/sdk/contract";
import type { JsonObject } from "@holdfast/sdk/json/json";
import type { DecideContext } from "../../machine/feature.ts";

/** Emits an event about a project. */
export function emitOfProject({ emit }: DecideContext, project: string, type: string, data: JsonObject): void {
  emit({ type, subject: `${workspaceProject.type}/${project}`, data });
}
