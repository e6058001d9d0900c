/**
 * The operations that submit jobs. A request needs the role, the approval and room in the backlog. The job holds the
 * lock of the rule table. The payload of a job is the input of its operation. It also has `requester`, and as `root`
 * the storage root of the project, if it has one. The type of a job is named after its operation, as
 * `workspaceJobTypes` says.
 */
import Type from "typebox";
import { operation } from "../../operation.ts";
import type { Right } from "../../rights.ts";
import { post } from "../../routes.ts";
import { filePath, storageRoot } from "../files/file-version.ts";
import { jobId } from "../jobs/job-view.ts";
import { inMap, inProject, ofPlace, workspaceMembers } from "./workspace-members.ts";
import type { WorkspacePlace } from "./workspace-path.ts";

const closed = { additionalProperties: false } as const;
const ofProject = "/v1/workspace/projects/{project}";
const ofMap = `${ofProject}/maps/{map}`;

/** The job type of each operation that submits a job. */
export const workspaceJobTypes = {
  "workspace.import-floorplan": "workspace.import-floorplan",
  "workspace.generate-tiles": "workspace.generate-tiles",
  "workspace.export-map": "workspace.export-map",
  "workspace.import-into-project": "workspace.import",
  "workspace.recalculate-project": "workspace.recalculate",
  "workspace.backup-project": "workspace.backup",
  "workspace.restore-project": "workspace.restore",
} as const;

const submitted = Type.Object({ job: jobId, state: Type.String() }, closed);
const jobProblems = [
  "workspace.role_missing",
  "workspace.restoring",
  "workspace.purging",
  "entity_not_found",
  "entity_deleted",
  "jobs.backlog_full",
  "jobs.off",
  "space_full",
] as const;

/** A job must not lock what its sender may not lock. */
const changes: readonly [Right<WorkspacePlace>, Right<WorkspacePlace>] = [
  { verbs: ["write"], touches: ofPlace },
  { verbs: ["lock"], touches: ofPlace },
];
const copies: readonly [Right<WorkspacePlace>, Right<WorkspacePlace>] = [
  { verbs: ["read"], touches: ofPlace },
  { verbs: ["lock"], touches: ofPlace },
];

const upload = Type.String({
  ...workspaceMembers.object,
  description: "The upload: the files that were published as `import/<project>/<upload>`.",
});

const importFloorplan = operation({
  name: "workspace.import-floorplan",
  kind: "write",
  hasOpenReply: true,
  summary: "Checks an uploaded image and publishes it as the floorplan of a map.",
  input: Type.Object(
    {
      ...inMap,
      upload,
      path: filePath,
      tiles: Type.Optional(Type.Boolean({ description: "Generates the tiles after it." })),
    },
    closed,
  ),
  output: submitted,
  problems: jobProblems,
  rights: changes,
  routes: [post(`${ofMap}/floorplan`, { status: 201 })],
  example: { project: "p1", map: "m1", upload: "u1", path: "plan.png" },
});

const generateTiles = operation({
  name: "workspace.generate-tiles",
  kind: "write",
  hasOpenReply: true,
  summary: "Cuts the floorplan of a map into tiles for every zoom level.",
  input: Type.Object(
    {
      ...inMap,
      tile_size: Type.Optional(Type.Integer({ minimum: 64, maximum: 1_024, description: "256 by default." })),
    },
    closed,
  ),
  output: submitted,
  problems: jobProblems,
  rights: changes,
  routes: [post(`${ofMap}/tiles`, { status: 201 })],
  example: { project: "p1", map: "m1" },
});

const exportMap = operation({
  name: "workspace.export-map",
  kind: "write",
  hasOpenReply: true,
  summary: "Publishes the sketches of a map as GeoJSON in calibrated units, as `export/<project>/<map>/<job>`.",
  input: Type.Object(inMap, closed),
  output: submitted,
  problems: jobProblems,
  rights: copies,
  routes: [post(`${ofMap}/export`, { status: 201 })],
  example: { project: "p1", map: "m1" },
});

const importIntoProject = operation({
  name: "workspace.import-into-project",
  kind: "write",
  hasOpenReply: true,
  summary: "Imports the objects of an uploaded GeoJSON or NDJSON file. The same line twice is the same object.",
  input: Type.Object(
    {
      ...inProject,
      upload,
      path: filePath,
      map: Type.Optional(
        Type.String({ ...workspaceMembers.map, description: "For objects that name no map; `import` by default." }),
      ),
      sketch: Type.Optional(
        Type.String({
          ...workspaceMembers.sketch,
          description: "For objects that name no sketch; `import` by default.",
        }),
      ),
    },
    closed,
  ),
  output: submitted,
  problems: jobProblems,
  rights: [
    { verbs: ["write"], touches: ({ project }) => ofPlace({ project }) },
    { verbs: ["lock"], touches: ({ project }) => ofPlace({ project }) },
  ],
  routes: [post(`${ofProject}/import`, { status: 201 })],
  example: { project: "p1", upload: "u1", path: "doors.geojson" },
});

const recalculateProject = operation({
  name: "workspace.recalculate-project",
  kind: "write",
  hasOpenReply: true,
  summary: "Computes the totals of every sketch and map again from their objects.",
  input: Type.Object(inProject, closed),
  output: submitted,
  problems: jobProblems,
  rights: changes,
  routes: [post(`${ofProject}/recalculate`, { status: 201 })],
  example: { project: "p1" },
});

const backupProject = operation({
  name: "workspace.backup-project",
  kind: "write",
  hasOpenReply: true,
  summary: "Publishes all records and files of a project as `backup/<project>/<job>`.",
  input: Type.Object({ ...inProject, root: Type.Optional(storageRoot) }, closed),
  output: submitted,
  problems: [...jobProblems, "workspace.root_ambiguous", "files.root_unknown"],
  rights: copies,
  routes: [post(`${ofProject}/backup`, { status: 201 })],
  example: { project: "p1" },
});

const restoreProject = operation({
  name: "workspace.restore-project",
  kind: "write",
  hasOpenReply: true,
  summary: "Makes a project equal to a backup, after another person approved it. Nothing else happens there meanwhile.",
  input: Type.Object(
    {
      ...inProject,
      backup: Type.String({ ...jobId, description: "The job of the backup: `backup/<project>/<backup>`." }),
      approval: Type.Optional(workspaceMembers.approval),
    },
    closed,
  ),
  output: submitted,
  problems: [...jobProblems, "workspace.approval_required", "workspace.approval_invalid"],
  rights: changes,
  routes: [post(`${ofProject}/restore`, { status: 201 })],
  example: { project: "p1", backup: "ws-90", approval: "a7" },
});

export const workspaceJobs = [
  importFloorplan,
  generateTiles,
  exportMap,
  importIntoProject,
  recalculateProject,
  backupProject,
  restoreProject,
] as const;
