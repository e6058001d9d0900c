import { engineLimits } from "../../server/src/engine/limits.ts";
import { lockLimits } from "../../server/src/features/locks/tables/settings.ts";
import { jobTypeDefaults } from "../../server/src/packs/jobs/job-settings-table.ts";
import { jobLimits } from "../../server/src/packs/jobs/job-tables.ts";
import type { Random } from "./random.ts";

type Limits = Record<keyof typeof engineLimits, number>;
type LockLimits = Record<keyof typeof lockLimits, number>;

/**
 * Sets some limits low for one seed. A full queue, a cut batch and an evicted cache entry then need a few commands
 * instead of thousands. Returns a function that restores the limits.
 */
export function tuneLimits(random: Random, { hasJobs }: { readonly hasJobs: boolean }): () => void {
  const limits = engineLimits as Limits;
  const usual = { ...limits };
  if (random.chance(0.4)) limits.queueCommandsMax = random.between(3, 12);
  if (random.chance(0.4)) limits.batchCommandsMax = random.between(1, 4);
  if (random.chance(0.5)) limits.recentEntriesMax = random.between(1, 8);
  if (random.chance(0.2)) limits.deadlineMs = random.between(100, 2_000);
  // Most seeds end before ten undisturbed seconds have passed, so with the usual grace nothing would ever be overdue.
  if (random.chance(0.5)) limits.graceMs = random.between(50, 2_000);
  const usualOfLocks = { ...lockLimits };
  if (random.chance(0.3)) (lockLimits as LockLimits).eventsPerEntryMax = random.between(2, 5);
  const restoreJobs = hasJobs ? tuneJobs(random) : undefined;
  return () => {
    restoreJobs?.();
    Object.assign(limits, usual);
    Object.assign(lockLimits, usualOfLocks);
  };
}

/** Leases of jobs that end within a simulation. */
function tuneJobs(random: Random): () => void {
  const [limits, defaults] = [jobLimits as Record<string, number>, jobTypeDefaults as { lease_ms: number }];
  const [usual, usualLease] = [{ ...limits }, defaults.lease_ms];
  limits["offerMs"] = random.between(1_000, 5_000);
  limits["endMs"] = random.between(200, 1_500);
  defaults.lease_ms = random.between(800, 6_000);
  return () => {
    Object.assign(limits, usual);
    defaults.lease_ms = usualLease;
  };
}
