/**
 * The pack `workspace`: projects, maps and sketches.
 *
 * - One table says which operation needs which lock. The check of every operation reads it, and so do general reads.
 * - A record is an entity, so it has versions, conflicts and history. A command writes all its records, or none.
 * - A job of the pack acts with the fence of its lock. Nothing that its worker does passes without it.
 * - A deleted record takes everything below it along. Nothing else happens there until all is gone.
 */
import { workspace, workspaceInternals } from "@holdfast/sdk/contract";
import { rulesOf } from "../../features/rule-of.ts";
import type { DecideContext, Decision, Feature } from "../../machine/feature.ts";
import type { PackRules } from "../pack-rules.ts";
import { packRules } from "../resource-decides.ts";
import type { DecideResource } from "../resource-decides.ts";
import { decideApproval, requestApproval } from "./approvals.ts";
import { calibrateMap, changeMaps } from "./change-maps.ts";
import { changeObjects } from "./change-objects.ts";
import { changeProjects } from "./change-projects.ts";
import { changeTemplates } from "./change-templates.ts";
import { purge, purgeTimer } from "./purge.ts";
import { recordReads } from "./record-reads.ts";
import { reassignObjects } from "./reassign-objects.ts";
import { submitWorkspaceJob } from "./submit-workspace-job.ts";
import { targetRoles } from "./target-roles.ts";
import { workRecords } from "./work-records.ts";
import { workspaceFolds } from "./workspace-folds.ts";
import { workspaceKinds } from "./workspace-kinds.ts";
import { childCountTable, purgeTable, workspaceJobTable } from "./workspace-tables.ts";

/** The contract has checked the input, so a rule reads it with its own type. */
const rule = (decide: (input: never, context: DecideContext) => Decision): DecideResource => decide as DecideResource;

const feature: Feature = {
  name: "workspace",
  needs: ["space", "agents", "locks", "entities", "jobs", "files"],
  tables: [childCountTable, purgeTable, workspaceJobTable],
  rules: {
    ...packRules(workspace, {
      "workspace.create-project": rule(changeProjects.createProject),
      "workspace.update-project": rule(changeProjects.updateProject),
      "workspace.delete-project": rule(changeProjects.deleteProject),
      "workspace.set-role": rule(changeProjects.setRole),
      "workspace.remove-role": rule(changeProjects.removeRole),
      "workspace.create-map": rule(changeMaps.createMap),
      "workspace.update-map": rule(changeMaps.updateMap),
      "workspace.calibrate-map": rule(calibrateMap),
      "workspace.delete-map": rule(changeMaps.deleteMap),
      "workspace.create-sketch": rule(changeMaps.createSketch),
      "workspace.update-sketch": rule(changeMaps.updateSketch),
      "workspace.delete-sketch": rule(changeMaps.deleteSketch),
      "workspace.change-objects": rule(changeObjects),
      "workspace.reassign-objects": rule(reassignObjects),
      "workspace.create-template": rule(changeTemplates.createTemplate),
      "workspace.update-template": rule(changeTemplates.updateTemplate),
      "workspace.delete-template": rule(changeTemplates.deleteTemplate),
      "workspace.apply-template": rule(changeTemplates.applyTemplate),
      "workspace.request-approval": rule(requestApproval),
      "workspace.decide-approval": rule(decideApproval),
      "workspace.import-floorplan": rule(submitWorkspaceJob("workspace.import-floorplan")),
      "workspace.generate-tiles": rule(submitWorkspaceJob("workspace.generate-tiles")),
      "workspace.export-map": rule(submitWorkspaceJob("workspace.export-map")),
      "workspace.import-into-project": rule(submitWorkspaceJob("workspace.import-into-project")),
      "workspace.recalculate-project": rule(submitWorkspaceJob("workspace.recalculate-project")),
      "workspace.backup-project": rule(submitWorkspaceJob("workspace.backup-project")),
      "workspace.restore-project": rule(submitWorkspaceJob("workspace.restore-project")),
      "workspace.set-totals": rule(workRecords.setTotals),
      "workspace.begin-restore": rule(workRecords.beginRestore),
      "workspace.clear-records": rule(workRecords.clearRecords),
      "workspace.write-records": rule(workRecords.writeRecords),
      "workspace.end-restore": rule(workRecords.endRestore),
    }),
    ...rulesOf(workspaceInternals, { "workspace.purge": purge }),
  },
  folds: workspaceFolds,
  reactions: {},
  timers: [purgeTimer],
};

export const workspacePackRules: PackRules = {
  contract: workspace,
  feature,
  kinds: workspaceKinds,
  reads: recordReads,
  targets: targetRoles,
};
