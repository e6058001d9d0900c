import type { assignment, collaborator, mission, organization, project } from "../../contract/packs/planning.ts";
import type { Resource, ShownResource } from "../../contract/packs/resource.ts";
import type { ClientForm } from "../data/client-form.ts";
import type { Run } from "../entities-client.ts";
import { changeResource, resourceClient } from "./resource-client.ts";
import type { Changed, ChangeOptions, ResourceClient } from "./resource-client.ts";

export type Organization = ClientForm<ShownResource<typeof organization>>;
export type Project = ClientForm<ShownResource<typeof project>>;
export type Collaborator = ClientForm<ShownResource<typeof collaborator>>;
export type Mission = ClientForm<ShownResource<typeof mission>>;
export type Assignment = ClientForm<ShownResource<typeof assignment>>;

type MissionChange = Promise<Changed<typeof mission>>;

export interface MissionsClient extends ResourceClient<typeof mission> {
  /**
   * Changes the status of a mission. The server refuses the change if a collaborator would be booked twice. The refusal
   * lists every conflict.
   */
  transition(id: string, to: "planned" | "locked" | "completed" | "cancelled", options?: ChangeOptions): MissionChange;
  /** For operators: returns a locked mission to planned. */
  reopen(id: string, reason: string, options?: ChangeOptions): MissionChange;
}

/** The operations of the planning pack, grouped by resource. */
export interface PlanningClient {
  readonly organizations: ResourceClient<typeof organization>;
  readonly projects: ResourceClient<typeof project>;
  readonly collaborators: ResourceClient<typeof collaborator>;
  readonly missions: MissionsClient;
  readonly assignments: ResourceClient<typeof assignment>;
}

export function planningClient({ run }: { readonly run: Run }): PlanningClient {
  const resourcesOf = <R extends Resource>(name: R["name"], plural: R["plural"]): ResourceClient<R> =>
    resourceClient<R>(run, { pack: "planning", name, plural });
  return {
    organizations: resourcesOf("organization", "organizations"),
    projects: resourcesOf("project", "projects"),
    collaborators: resourcesOf("collaborator", "collaborators"),
    missions: {
      ...resourcesOf<typeof mission>("mission", "missions"),
      transition: (id, to, options) =>
        changeResource(run, "planning.transition-mission", { id, to }, options) as MissionChange,
      reopen: (id, reason, options) =>
        changeResource(run, "planning.reopen-mission", { id, reason }, options) as MissionChange,
    },
    assignments: resourcesOf("assignment", "assignments"),
  };
}
