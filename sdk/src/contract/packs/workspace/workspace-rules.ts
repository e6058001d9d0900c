/**
 * The rule table: which operation needs which lock, at which level and in which scope, and which role. The check of every
 * operation, the tests and the documents read these rows. An operation without a row does not exist.
 */
export type WorkspaceLevel = "project" | "map" | "sketch";
export type WorkspaceRole = "viewer" | "editor" | "manager" | "owner";

/** From the weakest to the strongest. */
export const workspaceRoles: readonly WorkspaceRole[] = ["viewer", "editor", "manager", "owner"];

/** The lock that a rule demands. */
export interface RuledLock {
  readonly level: WorkspaceLevel;
  readonly mode: "read" | "write";
  /** `self` is the record alone, `tree` the record with everything below it. */
  readonly scope: "self" | "tree";
}

/** The inputs for which a row holds, if an operation has several. */
interface RuleCase {
  /** The objects that are counted: those that the command names in one sketch, or in one map. */
  readonly of: "sketch" | "map";
  readonly min: number;
  readonly max: number | null;
}

export interface WorkspaceRule {
  readonly operation: string;
  readonly case?: RuleCase;
  /** Null: the operation needs no lock. */
  readonly lock: RuledLock | null;
  /** Null: the rights of the caller decide. */
  readonly role: WorkspaceRole | null;
  /** The approval of another person is needed too. */
  readonly isApproved?: true;
  /** The operation submits a job. The job holds the lock, and every write of its worker presents the fence. */
  readonly isJob?: true;
}

/** Maximum objects that a command changes in a sketch under its lock alone, and in a map under locks of sketches. */
export const objectThresholds = { sketch: 100, map: 1_000, command: 2_000 } as const;

const lockOf =
  (level: WorkspaceLevel, mode: RuledLock["mode"], scope: RuledLock["scope"]) =>
  (role: WorkspaceRole | null, operations: readonly string[], more: Partial<WorkspaceRule> = {}) =>
    operations.map((name): WorkspaceRule => {
      return { operation: `workspace.${name}`, lock: { level, mode, scope }, role, ...more };
    });

const projectWrite = lockOf("project", "write", "self");
const projectWriteTree = lockOf("project", "write", "tree");
const projectRead = lockOf("project", "read", "self");
const projectReadTree = lockOf("project", "read", "tree");
const mapWrite = lockOf("map", "write", "self");
const mapWriteTree = lockOf("map", "write", "tree");
const mapRead = lockOf("map", "read", "self");
const mapReadTree = lockOf("map", "read", "tree");
const sketchWrite = lockOf("sketch", "write", "self");
const sketchWriteTree = lockOf("sketch", "write", "tree");
const sketchRead = lockOf("sketch", "read", "self");

const withoutLock = (role: WorkspaceRole | null, operations: readonly string[]): readonly WorkspaceRule[] =>
  operations.map((name) => ({ operation: `workspace.${name}`, lock: null, role }));

const changes = ["change-objects", "reassign-objects"];
const { sketch: ofSketch, map: ofMap } = objectThresholds;
const job = { isJob: true } as const;

export const workspaceRules: readonly WorkspaceRule[] = [
  ...projectWrite(null, ["create-project"]),
  ...projectWrite("manager", ["update-project"]),
  ...projectWrite("owner", ["set-role", "remove-role"]),
  ...projectWriteTree("manager", ["apply-template"]),
  ...projectWriteTree("manager", ["recalculate-project", "import-into-project"], job),
  ...projectWriteTree("owner", ["delete-project"], { isApproved: true }),
  ...projectWriteTree("owner", ["restore-project"], { isApproved: true, ...job }),
  ...projectRead("viewer", ["get-project", "list-maps", "list-sketches", "list-approvals"]),
  ...projectReadTree("manager", ["backup-project"], job),
  ...mapWrite("manager", ["create-map", "update-map", "calibrate-map"]),
  ...mapWrite("manager", ["generate-tiles"], job),
  ...mapWriteTree("manager", ["import-floorplan"], job),
  ...mapWriteTree("manager", ["delete-map"]),
  ...mapRead("viewer", ["get-map", "get-tile"]),
  ...mapRead("viewer", ["list-objects"], { case: { of: "map", min: 0, max: null } }),
  ...mapReadTree("viewer", ["export-map"], job),
  ...sketchWrite("editor", ["create-sketch", "update-sketch"]),
  ...sketchWrite("editor", changes, { case: { of: "sketch", min: 0, max: ofSketch } }),
  ...sketchWriteTree("editor", changes, { case: { of: "sketch", min: ofSketch + 1, max: ofMap } }),
  ...mapWriteTree("editor", changes, { case: { of: "map", min: ofMap + 1, max: null } }),
  ...sketchWriteTree("editor", ["delete-sketch"]),
  ...sketchRead("viewer", ["list-objects"], { case: { of: "sketch", min: 0, max: null } }),
  ...sketchRead("viewer", ["get-sketch", "get-object", "hit-test", "select-objects", "measure"]),
  ...withoutLock("editor", ["request-approval"]),
  ...withoutLock("manager", ["decide-approval"]),
  ...withoutLock(null, ["create-template", "update-template", "delete-template", "get-template", "list-templates"]),
  ...withoutLock(null, ["list-projects", "list-rules"]),
];

/**
 * The writes of a worker. Each presents the fence of the lock of its job, which covers the whole project, and no other
 * caller can present it. The rows are apart: no caller but the worker of such a job ever sends them.
 */
export const workspaceWorkRules: readonly WorkspaceRule[] = [
  ...projectWriteTree(null, ["set-totals", "begin-restore", "clear-records", "write-records", "end-restore"], job),
  ...projectReadTree(null, ["list-records"], job),
];
