/** Creates, changes and deletes projects, and changes the roles of principals in them. */
import { workspacePath } from "@holdfast/sdk/contract";
import type { WorkspaceRole } from "@holdfast/sdk/contract";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import { refuse } from "../../features/entities/kind-refusal.ts";
import type { DecideContext, Decision } from "../../machine/feature.ts";
import { refusal } from "../../machine/refusal.ts";
import { refusedBy } from "./access.ts";
import { approvalFault, useApproval } from "./approvals.ts";
import { chosenRoot } from "./chosen-root.ts";
import { emitOfProject } from "./emit-of-project.ts";
import { startPurge } from "./purge.ts";
import { projectKind } from "./workspace-kinds.ts";
import { workspaceLimits } from "./record-place.ts";
import type { ProjectValue } from "./record-place.ts";
import { accessOf, newValue, writeRecord } from "./write-record.ts";
import type { RecordInput } from "./write-record.ts";
import { targetsUnder } from "./targets-below.ts";

interface CreateProjectInput extends RecordInput {
  readonly name: string;
  readonly description?: string;
  readonly layers?: readonly string[];
  readonly root?: string;
}

/** The creator becomes the owner. The lock is that of the new project. */
function createProject(input: CreateProjectInput, context: DecideContext): Decision {
  const { project, name, description, layers } = input;
  const access = accessOf("workspace.create-project", input, { isNewProject: true });
  const change = () => {
    // Files that others published there before would become files of the project.
    const [target] = targetsUnder(context.state, workspacePath({ project }), 1);
    if (target !== undefined) return refusedBy(context, refusal("workspace.in_use", { target }));
    const root = chosenRoot(context, input.root, "create-project");
    if (typeof root === "object") return root;
    const roles = { [context.command.principal]: "owner" };
    return { create: newValue({ name, description, layers: layers, root, roles }) };
  };
  return writeRecord(context, access, { kind: projectKind, place: { project }, input, change });
}

function updateProject(input: RecordInput & { readonly changes: JsonObject }, context: DecideContext): Decision {
  const { project, changes } = input;
  const access = accessOf("workspace.update-project", input);
  return writeRecord(context, access, { kind: projectKind, place: { project }, input, change: { merge: changes } });
}

interface RoleInput extends RecordInput {
  readonly principal: string;
  readonly role?: WorkspaceRole;
}

/** Sets the role of a principal, or removes it. The last owner stays. */
const changeRole =
  (operation: "workspace.set-role" | "workspace.remove-role") =>
  (input: RoleInput, context: DecideContext): Decision => {
    const { project, principal, role } = input;
    const update = (current: Json) => {
      const value = current as unknown as ProjectValue;
      const roles = nextRoles(value.roles, principal, role);
      if (!Object.values(roles).includes("owner")) return refuse("last_owner", { project, principal_name: principal });
      const limit = workspaceLimits.rolesPerProject;
      if (Object.keys(roles).length > limit) return refuse("too_many", { counted: "roles of a project", limit });
      return { ...(current as JsonObject), roles };
    };
    const name = role === undefined ? "role-removed" : "role-set";
    return writeRecord(context, accessOf(operation, input), {
      ...{ kind: projectKind, place: { project }, input, change: { update }, name },
      then: ({ data }) => {
        const changed = { principal_name: principal, role: role ?? null };
        if (data["changed"] === true) emitOfProject(context, project, "workspace.role_changed", changed);
        return undefined;
      },
    });
  };

/** The names are sorted, so that the value does not depend on the order of changes. */
function nextRoles(roles: ProjectValue["roles"], principal: string, role: WorkspaceRole | undefined): JsonObject {
  const others = Object.entries(roles).filter(([name]) => name !== principal);
  const all = role === undefined ? others : [...others, [principal, role] as const];
  return Object.fromEntries(all.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** The record goes in this entry, and the rest below it in the next ones. */
function deleteProject(input: RecordInput & { readonly approval?: string }, context: DecideContext): Decision {
  const { project, approval } = input;
  // A project whose restore failed would be closed forever. The lock excludes a restore that runs.
  const access = accessOf("workspace.delete-project", input, { isRestorable: true });
  const approved = { project, approval, action: "delete-project", parameters: {} } as const;
  return writeRecord(context, access, {
    ...{ kind: projectKind, place: { project }, input },
    change: () => approvalFault(context, approved) ?? { delete: true },
    then: () => {
      useApproval(context, approved);
      startPurge(context, { project });
      return undefined;
    },
  });
}

export const changeProjects = {
  createProject,
  updateProject,
  deleteProject,
  setRole: changeRole("workspace.set-role"),
  removeRole: changeRole("workspace.remove-role"),
};
