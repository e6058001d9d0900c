/** The types of the operations of the workspace, by the name after the dot. */
import type { workspaceApprovals } from "../../contract/packs/workspace/workspace-approvals.ts";
import type { workspaceJobs } from "../../contract/packs/workspace/workspace-jobs.ts";
import type { workspaceMaps } from "../../contract/packs/workspace/workspace-maps.ts";
import type { workspaceObjects } from "../../contract/packs/workspace/workspace-objects.ts";
import type { workspaceProjects } from "../../contract/packs/workspace/workspace-projects.ts";
import type { workspaceQueries } from "../../contract/packs/workspace/workspace-queries.ts";
import type { workspaceSketches } from "../../contract/packs/workspace/workspace-sketches.ts";
import type { workspaceTemplates } from "../../contract/packs/workspace/workspace-templates.ts";
import type { workspaceWork } from "../../contract/packs/workspace/workspace-work.ts";
import type { InputOfOperation, OutputOfOperation } from "../operation-output.ts";

type Definitions = (
  | typeof workspaceProjects
  | typeof workspaceMaps
  | typeof workspaceSketches
  | typeof workspaceObjects
  | typeof workspaceQueries
  | typeof workspaceTemplates
  | typeof workspaceApprovals
  | typeof workspaceJobs
  | typeof workspaceWork
)[number];
type ShortName<Name> = Name extends `workspace.${infer Short}` ? Short : never;

export type WorkspaceOperations = {
  [Definition in Definitions as ShortName<Definition["name"]>]: {
    readonly input: InputOfOperation<Definition>;
    readonly output: OutputOfOperation<Definition>;
  };
};
