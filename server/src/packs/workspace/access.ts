/**
 * The check of every operation, before everything else: that the project is there, then the role, then the lock of the
 * rule table. Decisions and reads use the same functions, and so do the general reads of entities.
 */
import type { WorkspacePlace, WorkspaceRule } from "@holdfast/sdk/contract";
import { workspaceProject } from "@holdfast/sdk/contract";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { findAgent } from "../../features/agents/agent-table.ts";
import { missing } from "../../features/entities/change.ts";
import { findEntity } from "../../features/entities/entity-table.ts";
import { blockersAt } from "../../features/locks/for-features/blockers-at.ts";
import { freeSet } from "../../features/locks/for-features/free-set.ts";
import { grantSet } from "../../features/locks/for-features/grant-set.ts";
import { callerOf, holdsLock, isDecision } from "../../features/locks/for-features/holds-lock.ts";
import type { LockContext } from "../../features/locks/for-features/holds-lock.ts";
import type { PathLock } from "../../features/locks/tables/modes.ts";
import type { Outcome, Refusal } from "../../machine/entry.ts";
import type { DecideContext, Decision } from "../../machine/feature.ts";
import type { ReadContext } from "../../machine/read-context.ts";
import { refusal } from "../../machine/refusal.ts";
import { isAtLeast, jobOfFence, projectValue, roleIn } from "./roles.ts";
import { purgeTable } from "./workspace-tables.ts";
import { recordId } from "./record-place.ts";

/** How a caller proves its lock. */
export interface LockProof {
  readonly fence?: string;
  readonly lock?: "take";
}

/** The needs of an operation: the role of its rule, and locks at a place. */
export interface Access {
  readonly rule: WorkspaceRule;
  readonly place: WorkspacePlace;
  /** Further places that must not be in removal. */
  readonly others?: readonly WorkspacePlace[];
  readonly locks: readonly PathLock[];
  readonly proof: LockProof;
  /** The project is being created, so it has no roles yet. */
  readonly isNewProject?: true;
  /** The operation is allowed while the project is being restored. */
  readonly isRestorable?: true;
}

/** Time after which a refused caller may try again. */
const retryMs = 1_000;

/** Decides under the locks. With `lock: "take"` they are granted and freed in the entry of the decision. */
export function decideUnder(context: DecideContext, access: Access, decide: () => Decision): Decision {
  const { agent } = context.command;
  // The agent may have ended after the door admitted it. No lock is granted to an ended agent, not even for one entry.
  if (agent !== undefined && findAgent(context.state, agent) === undefined)
    return refusedBy(context, refusal("agent_unknown", { agent_id: agent }));
  const refused = accessRefusal(context, access);
  if (refused !== undefined) return refusedBy(context, refused);
  const lacking = lackingLocks(context, access);
  if (lacking.length === 0) return decide();
  if (access.proof.lock !== "take") return refusedBy(context, lockRequired(context, lacking, access.proof));
  return context.attempt<Decision>(
    () => {
      const granted = grantSet(context, { owner: takerOf(context), paths: lacking, terms: takenTerms });
      if (!("fence" in granted)) return refusedBy(context, refusal("lock_denied", granted));
      const decision = decide();
      if (decision.outcome.kind === "done") freeSet(context, granted.fence as string);
      return decision;
    },
    ({ outcome }) => outcome.kind === "done",
  );
}

/** Reads under the locks. With `lock: "take"` nothing may block them at this moment. */
export function readUnder(context: ReadContext, access: Access, read: () => Outcome): Outcome {
  return lockReadRefusal(context, access) ?? read();
}

export function lockReadRefusal(context: ReadContext, access: Access): Refusal | undefined {
  const refused = accessRefusal(context, access);
  if (refused !== undefined) return refused;
  const lacking = lackingLocks(context, access);
  if (lacking.length === 0) return undefined;
  if (access.proof.lock !== "take") return lockRequired(context, lacking, access.proof);
  for (const { path, mode, scope } of lacking) {
    const denial = blockersAt(context, path, { mode, scope, count: "queue" });
    if (denial !== undefined) return refusal("lock_denied", denial);
  }
  return undefined;
}

/** A refused write of an agent is in the audit trail: it may be an attempt to bypass a lock. */
export function refusedBy({ command }: DecideContext, outcome: Refusal): Decision {
  return { outcome, events: [], isAudited: command.agent !== undefined };
}

/** The refusal of a caller without the role, or of a project that is absent, being removed or being restored. */
function accessRefusal(context: LockContext, access: Access): Refusal | undefined {
  const { rule, place, others = [], proof, isNewProject } = access;
  const { project } = place;
  const purging = [place, ...others].map((each) => purgingRefusal(context, each)).find((each) => each !== undefined);
  if (purging !== undefined || isNewProject === true) return purging;
  const value = projectValue(context.state, project);
  const target = { type: workspaceProject.type, id: project };
  if (value === undefined) return missing(findEntity(context.state, target), target).outcome as Refusal;
  const job = jobOfFence(context, project, proof.fence);
  const role = roleIn(value, callerOf(context).principal);
  if (rule.role !== null && job === undefined && !isAtLeast(role, rule.role))
    return refusal("workspace.role_missing", { project, needs: rule.role, role: role ?? null });
  const { restoring } = value;
  if (restoring === undefined || restoring === job?.job || access.isRestorable === true) return undefined;
  return refusal("workspace.restoring", { project, job: restoring, retry_after_ms: retryMs });
}

/** Nothing happens at or below a deleted record until everything below it is gone. */
function purgingRefusal(context: LockContext, place: WorkspacePlace): Refusal | undefined {
  const data = purgingData(context, place);
  return data === undefined ? undefined : refusal("workspace.purging", data);
}

/** The deleted record at or above a place that is still being removed; undefined if there is none. */
export function purgingData(
  { state }: Pick<LockContext, "state">,
  { project, map, sketch }: WorkspacePlace,
): JsonObject | undefined {
  const places = [recordId({ project }), recordId({ project, map }), recordId({ project, map, sketch })];
  const place = places.find((each) => state.rows(purgeTable).get(each) !== undefined);
  return place === undefined ? undefined : { place, retry_after_ms: retryMs };
}

/** The locks that neither the presented fence nor the caller's agent covers. */
function lackingLocks(context: LockContext, { locks, proof }: Access): readonly PathLock[] {
  const { fence, lock } = proof;
  return locks.filter(({ path, mode, scope }) => {
    if (fence !== undefined && holdsLock(context, path, { mode, scope, fence })) return false;
    // A fence that was sent is the proof. The locks of the agent count without one, or if the caller takes the rest.
    return fence !== undefined && lock === undefined ? true : !holdsLock(context, path, { mode, scope });
  });
}

/** Each missing lock with its holders, and the `paths` that acquire all of them. */
function lockRequired(context: LockContext, locks: readonly PathLock[], { fence }: LockProof): Refusal {
  const needed = locks.map(({ path, mode, scope }): JsonObject => ({ path, mode, scope }));
  const held = locks.map(({ path, mode, scope }): JsonObject => {
    const of = isDecision(context) ? { fence } : {};
    const holders = blockersAt(context, path, { mode, scope, count: "holders", ...of })?.holders ?? [];
    return { path, mode, scope, holders };
  });
  return refusal("workspace.lock_required", { missing: held, acquire: needed });
}

/** The owner of a lock for one entry: the agent, whose own locks do not block it, or a name of the entry. */
function takerOf({ command, position }: DecideContext): string {
  return command.agent ?? `holdfast:take:${String(position)}`;
}

const takenTerms = { ttlMs: 45_000, purpose: "workspace: one entry" } as const;
