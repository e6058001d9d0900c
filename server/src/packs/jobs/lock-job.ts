/** Locks that a running job acquires or releases early. */
import { defined } from "@holdfast/sdk/base/defined";
import type { DecideContext, Decision } from "../../machine/feature.ts";
import { freeSet } from "../../features/locks/for-features/free-set.ts";
import { adoptSet, grantSet } from "../../features/locks/for-features/grant-set.ts";
import { isRefused, refused } from "../../features/locks/rules/owner.ts";
import { wantedPaths } from "../../features/locks/rules/wanted-paths.ts";
import { outOfOrder } from "../../features/locks/rules/acquire-lock.ts";
import type { PathLock } from "../../features/locks/tables/lock-tables.ts";
import { grantTable } from "../../features/locks/tables/lock-tables.ts";
import { lockSettings } from "../../features/locks/tables/settings.ts";
import { done } from "../../machine/refusal.ts";
import { claimedJob } from "./claimed-job.ts";
import type { JobAttempt } from "./claimed-job.ts";
import { projectRow } from "./project-row.ts";
import { fill } from "./fill.ts";
import { mapCap } from "./job-settings-table.ts";
import { jobOwner, jobSubject } from "./job-tables.ts";
import type { JobRow } from "./job-tables.ts";
import { jobTerms } from "./start-job.ts";
import { projectsOf } from "./submit.ts";

interface JobLockInput extends JobAttempt {
  readonly paths: readonly (string | Partial<PathLock>)[];
}

/** More locks, at once or not at all. The new fence covers the locks that the job has already. */
export function lockForJob(input: JobLockInput, context: DecideContext): Decision {
  const { state, emit } = context;
  if (!lockSettings(state).isOn) return refused("locks_off", { toggle: "component_toggles.lock_manager" });
  const found = claimedJob(context, input);
  if ("outcome" in found) return found;
  const { row, attempt } = found;
  const wanted = wantedPaths({ paths: input.paths as never }, context);
  if (isRefused(wanted)) return wanted;
  const makesMap = row.isMap !== true && wanted.some(({ kind }) => kind.name === "map");
  const fault =
    projectFault(context, row, { paths: wanted, makesMap }) ?? outOfOrder(context, jobOwner(row.id), wanted);
  if (fault !== undefined) return fault;
  const paths = wanted.map(({ path, mode, scope }) => ({ path, mode, scope }));
  const held = row.fence === undefined ? undefined : state.rows(grantTable).get(row.fence);
  const keeping = { keeper: attempt.worker, job: row.id, paths };
  const granted =
    held === undefined
      ? grantSet(context, { ...keeping, owner: jobOwner(row.id), terms: jobTerms(context, row, attempt.worker) })
      : adoptSet(context, held.fence, keeping);
  if (!("fence" in granted)) return refused("jobs.locks_unavailable", granted);
  const fence = granted.fence as string;
  const data = { type: row.type, worker: attempt.worker, fence, ...defined({ is_map: makesMap || undefined }) };
  emit({ type: "jobs.locked", subject: jobSubject(row.id), data });
  return { outcome: done({ id: row.id, fence }), events: [], attachment: {} };
}

/** A job stays in the projects of its locks and below the cap of map jobs. */
function projectFault(
  { state }: DecideContext,
  { project, locks = [] }: JobRow,
  { paths, makesMap }: { readonly paths: readonly PathLock[]; readonly makesMap: boolean },
): Decision | undefined {
  const allowed = [project, ...projectsOf(locks)];
  const foreign = projectsOf(paths).filter((each) => !allowed.includes(each));
  if (foreign.length > 0) return refused("jobs.project_mismatch", { project, projects: foreign });
  const limit = mapCap(state, project);
  if (!makesMap || projectRow(state, project).mapRunning < limit) return undefined;
  return refused("jobs.cap_reached", { project, limit });
}

export function unlockForJob(
  input: JobAttempt & { readonly paths?: readonly string[] },
  context: DecideContext,
): Decision {
  const { state, emit } = context;
  const found = claimedJob(context, input);
  if ("outcome" in found) return found;
  const { row, attempt } = found;
  const { fence } = row;
  const held = fence === undefined ? [] : (state.rows(grantTable).get(fence)?.paths ?? []);
  const locks = held.filter(({ path }) => input.paths?.includes(path) ?? true);
  const released = locks.map(({ path, mode, scope }) => ({ path, mode, scope }));
  if (fence === undefined || released.length === 0)
    return { outcome: done({ id: row.id, released, fence: fence ?? null }), events: [], attachment: {} };
  const kept = released.length === held.length ? null : fence;
  emit({
    type: "jobs.unlocked",
    subject: jobSubject(row.id),
    data: { type: row.type, worker: attempt.worker, fence: kept },
  });
  freeSet(context, fence, { paths: released.map(({ path }) => path) });
  fill(context);
  return { outcome: done({ id: row.id, released, fence: kept }), events: [], attachment: {} };
}
