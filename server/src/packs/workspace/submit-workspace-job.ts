/** The operations that submit jobs. One entry checks the role, uses the approval and submits the job. */
import { workspaceJobTypes, workspaceMap } from "@holdfast/sdk/contract";
import { defined } from "@holdfast/sdk/base/defined";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { missing } from "../../features/entities/change.ts";
import { findEntity, isLive } from "../../features/entities/entity-table.ts";
import { isRefused } from "../../features/locks/rules/owner.ts";
import type { PathLock } from "../../features/locks/tables/modes.ts";
import { currentEpoch } from "../../features/space/space-table.ts";
import type { DecideContext, Decision } from "../../machine/feature.ts";
import { done } from "../../machine/refusal.ts";
import { fill } from "../jobs/fill.ts";
import { submitOne } from "../jobs/submit.ts";
import { approvalFault, useApproval } from "./approvals.ts";
import { chosenRoot } from "./chosen-root.ts";
import { decideUnder } from "./access.ts";
import { emitOfProject } from "./emit-of-project.ts";
import { findRule, locksOfRule } from "./find-rule.ts";
import { projectValue } from "./roles.ts";

type JobOperation = keyof typeof workspaceJobTypes;

/** The traits of a job besides the lock of its rule. */
interface JobTraits {
  /** It runs also while the project is being restored. */
  readonly isRestorable?: true;
  /** The caller may choose the storage root of its files. The value is the operation in a question about it. */
  readonly choosesRoot?: string;
  /** The target into which it publishes. The job locks it too. */
  readonly target?: (input: JobInput, id: string) => string;
}

const traits: Partial<Readonly<Record<JobOperation, JobTraits>>> = {
  "workspace.restore-project": { isRestorable: true },
  "workspace.export-map": { target: ({ project, map }, id) => `export/${project}/${map ?? ""}/${id}` },
  "workspace.backup-project": {
    choosesRoot: "backup-project",
    target: ({ project }, id) => `backup/${project}/${id}`,
  },
};

interface JobInput {
  readonly project: string;
  readonly map?: string;
  readonly root?: string;
  readonly backup?: string;
  readonly approval?: string;
}

/** The request needs no lock: it is the job that holds it. */
export const submitWorkspaceJob =
  (operation: JobOperation) =>
  (input: JobInput, context: DecideContext): Decision => {
    const { project } = input;
    const rule = findRule(operation);
    const more = defined({ isRestorable: traits[operation]?.isRestorable });
    return decideUnder(context, { rule, place: { project }, locks: [], proof: {}, ...more }, () => {
      const approved = rule.isApproved === true ? approvedRestore(input) : undefined;
      const fault = missingMap(context, input, rule.lock?.level) ?? (approved && approvalFault(context, approved));
      if (fault !== undefined) return fault;
      const submitted = submit(context, operation, input);
      if (isRefused(submitted)) return submitted;
      if (approved !== undefined) useApproval(context, approved);
      fill(context);
      return { outcome: done(submitted), events: [], attachment: {} };
    });
  };

function approvedRestore({ project, backup, approval }: JobInput) {
  const action = "restore-project" as const;
  return { project, approval, action, parameters: defined({ backup }) as JsonObject };
}

function missingMap(
  { state }: DecideContext,
  { project, map }: JobInput,
  level: string | undefined,
): Decision | undefined {
  if (level !== "map") return undefined;
  const target = { type: workspaceMap.type, id: `${project}/${map ?? ""}` };
  const row = findEntity(state, target);
  return isLive(row) ? undefined : missing(row, target);
}

function submit(context: DecideContext, operation: JobOperation, input: JobInput): JsonObject | Decision {
  const { project, approval: _approval, ...members } = input;
  const type = workspaceJobTypes[operation];
  const id = jobIdOf(context);
  const ofProject = projectValue(context.state, project)?.root;
  const choosing = traits[operation]?.choosesRoot;
  const root = choosing === undefined ? ofProject : chosenRoot(context, members.root, choosing);
  if (typeof root === "object") return root;
  // The job runs where its files are.
  const requester = context.command.principal;
  const payload = defined({ ...members, project, requester, root }) as JsonObject;
  const locks = jobLocks(operation, input, id);
  const submitted = submitOne(context, { ...defined({ root }), type, id, payload, project, locks });
  if (isRefused(submitted)) return submitted;
  emitOfProject(context, project, "workspace.job_requested", { job: id, job_type: type, requester });
  return { job: id, state: submitted["state"] ?? "" };
}

/** The lock of the rule, and the lock of the target into which an export or a backup is published. */
function jobLocks(operation: JobOperation, input: JobInput, id: string): readonly PathLock[] {
  const { project, map } = input;
  const place = { project, map };
  const ofRule = locksOfRule(findRule(operation), place);
  const target = traits[operation]?.target?.(input, id);
  return target === undefined ? ofRule : [...ofRule, { path: target, mode: "write", scope: "tree" }];
}

/** The position of the entry makes it unique. It is a name of a folder too. */
function jobIdOf({ state, position }: DecideContext): string {
  const epoch = currentEpoch(state);
  return `ws-${String(position)}${epoch === 1 ? "" : `-${String(epoch)}`}`;
}
