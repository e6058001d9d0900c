/** The invariants of jobs, recounted from their rows alone. */
import assert from "node:assert/strict";
import * as tables from "../../server/src/packs/jobs/job-tables.ts";
import type { JobRow } from "../../server/src/packs/jobs/job-tables.ts";
import {
  classCapacity,
  jobCaps,
  jobTypeSettings,
  mapCap,
  projectCap,
} from "../../server/src/packs/jobs/job-settings-table.ts";
import { nextLane } from "../../server/src/packs/jobs/fill.ts";
import { jobTotals } from "../../server/src/packs/jobs/change-job.ts";
import { grantTable, ticketTable } from "../../server/src/features/locks/tables/lock-tables.ts";
import type { StateReader } from "../../server/src/machine/state.ts";

/** The most that a count was before the settings changed. A lower cap stops no running job. */
export interface AllowedCounts {
  global: number;
  readonly projects: Map<string, number>;
  readonly maps: Map<string, number>;
  readonly classes: Map<string, number>;
}

export function newAllowedCounts(): AllowedCounts {
  return { global: 0, projects: new Map(), maps: new Map(), classes: new Map() };
}

/** Asserts that no count exceeds its cap, unless it was above it when the cap was lowered. */
export function checkCaps(state: StateReader, allowed: AllowedCounts): void {
  const jobs = state.rows(tables.jobTable).scan("state", { limit: Infinity });
  const running = jobs.filter((job) => job.state === "running");
  const limit = (count: number, cap: number, before: number): number => {
    assert.ok(count <= Math.max(cap, before), `${count} run, the cap is ${cap}`);
    return count;
  };
  allowed.global = limit(running.length, jobCaps(state).max_global_jobs, allowed.global);
  const count = (
    key: (job: JobRow) => string | undefined,
    cap: (name: string) => number,
    before: Map<string, number>,
  ) => {
    const counts = new Map<string, number>([...before.keys()].map((name) => [name, 0]));
    for (const job of running) {
      const name = key(job);
      if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    for (const [name, number] of counts) before.set(name, limit(number, cap(name), before.get(name) ?? 0));
  };
  count(
    (job) => job.project,
    (name) => projectCap(state, name),
    allowed.projects,
  );
  count(
    (job) => (job.isMap === true ? job.project : undefined),
    (name) => mapCap(state, name),
    allowed.maps,
  );
  count(
    (job) => job.attemptRow?.jobClass,
    (name) => classCapacity(state, name),
    allowed.classes,
  );
}

/** Asserts that every derived row equals a count of the jobs. */
export function checkCounts(state: StateReader): void {
  const jobs = state.rows(tables.jobTable).scan("state", { limit: Infinity });
  const running = jobs.filter((job) => job.state === "running");
  assert.equal(jobTotals(state).running, running.length);
  const claims = running.map((job) => job.attemptRow?.claim);
  assert.equal(new Set(claims).size, running.length, "each running job has its own claim");
  for (const job of jobs) assert.equal(job.attemptRow !== undefined, job.state === "running", job.id);
  for (const row of state.rows(tables.workerTable).scan("worker", { limit: Infinity }))
    assert.equal(row.running, running.filter((job) => job.attemptRow?.worker === row.worker).length);
  for (const row of state.rows(tables.projectTable).scan("idle", { limit: Infinity }))
    assert.equal(row.running + row.backlog, 0);
  for (const row of state.rows(tables.jobTypeTable).scan("type", { limit: Infinity }))
    for (const [name, number] of Object.entries(row.counts))
      assert.equal(
        number,
        jobs.filter((job) => job.type === row.type && job.state === name).length,
        `${row.type} ${name}`,
      );
  const lanes = state.rows(tables.laneTable).scan("lane", { limit: Infinity });
  const ready = jobs.filter((job) => job.state === "ready");
  assert.equal(
    lanes.reduce((sum, lane) => sum + lane.ready, 0),
    ready.length,
  );
  for (const lane of lanes) assert.equal(lane.ready, ready.filter((job) => tables.laneOf(job) === lane.lane).length);
}

/** Asserts that no job could start: the dispatcher left no slot idle. Every ready job is examined. */
export function checkNoneStartable(state: StateReader, time: number): void {
  if (jobTotals(state).left !== undefined || jobTotals(state).recheckAfter !== undefined) return;
  assert.equal(nextLane(state), undefined);
  const jobs = state.rows(tables.jobTable).scan("state", { limit: Infinity });
  const running = jobs.filter((job) => job.state === "running");
  const count = (is: (job: JobRow) => boolean): number => running.filter(is).length;
  if (running.length >= jobCaps(state).max_global_jobs) return;
  for (const job of jobs.filter((each) => each.state === "ready")) {
    const { class: jobClass } = jobTypeSettings(state, job.type);
    const isPaused = state.rows(tables.laneTable).get(tables.laneOf(job))?.isOpen === false;
    const isCapped =
      count((other) => other.attemptRow?.jobClass === jobClass) >= classCapacity(state, jobClass) ||
      count((other) => other.project === job.project) >= projectCap(state, job.project) ||
      (job.isMap === true &&
        count((other) => other.project === job.project && other.isMap === true) >= mapCap(state, job.project));
    const workers = state.rows(tables.workerTable).scan("worker", { limit: Infinity });
    const isOffered = workers.some(
      (row) => row.until > time && row.works.includes(tables.jobWorkOf(job)) && row.running < row.slots,
    );
    assert.ok(isPaused || isCapped || !isOffered, `${job.id} could start`);
  }
}

/** Asserts that only running and lost jobs hold locks, and that a locking job has exactly its ticket. */
export function checkJobLocks(state: StateReader): void {
  const grants = state.rows(grantTable).scan("keeper", { limit: Infinity });
  for (const grant of grants) {
    const id = grant.owner.slice("holdfast:job:".length);
    const job = state.rows(tables.jobTable).get(id);
    const isRunning = job?.state === "running";
    assert.equal(grant.job !== undefined, isRunning, `the grant of ${id} is claimed exactly while it runs`);
    if (isRunning) assert.deepEqual([job.fence, job.attemptRow?.worker], [grant.fence, grant.keeper]);
    assert.notEqual(job?.state, "locking", `${id} waits for locks and holds some`);
  }
  for (const job of state.rows(tables.jobTable).scan("state", { prefix: "locking", limit: Infinity }))
    assert.equal(state.rows(ticketTable).get(job.ticket ?? "")?.notifyOnly, true, `${job.id} has a ticket`);
}
