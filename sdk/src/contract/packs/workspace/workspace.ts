/** The pack `workspace`: projects, maps and sketches that people and agents edit, each operation under the lock of a rule. */
import { withProblemData } from "../../problem.ts";
import { definePack } from "../pack.ts";
import { workspaceProblemData } from "../workspace-problem-data.ts";
import { workspaceApprovals } from "./workspace-approvals.ts";
import { workspaceEvents } from "./workspace-events.ts";
import { workspaceJobs } from "./workspace-jobs.ts";
import { workspaceMaps } from "./workspace-maps.ts";
import { workspaceObjects } from "./workspace-objects.ts";
import { workspaceProblems } from "./workspace-problems.ts";
import { workspaceProjects } from "./workspace-projects.ts";
import { workspaceQueries } from "./workspace-queries.ts";
import { workspaceResources } from "./workspace-resources.ts";
import { workspaceSketches } from "./workspace-sketches.ts";
import { workspaceTemplates } from "./workspace-templates.ts";
import { workspaceWork } from "./workspace-work.ts";

export const workspace = definePack({
  name: "workspace",
  summary: "Projects, maps and sketches that people and agents edit, each operation under the lock of a rule.",
  resources: workspaceResources,
  operations: [
    ...workspaceProjects,
    ...workspaceMaps,
    ...workspaceSketches,
    ...workspaceObjects,
    ...workspaceQueries,
    ...workspaceTemplates,
    ...workspaceApprovals,
    ...workspaceJobs,
    ...workspaceWork,
  ],
  events: workspaceEvents,
  problems: withProblemData(workspaceProblems, workspaceProblemData),
  needs: ["lock_manager", "jobs", "files"],
});
