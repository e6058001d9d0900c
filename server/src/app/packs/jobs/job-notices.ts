/** The notices to workers: jobs that started for them, and attempts that must end. Both are made from the rows. */
import type { Notice } from "@holdfast/sdk/contract";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { gap } from "../../../features/locks/tables/lock-tables.ts";
import { jobPath, jobTable } from "../../../packs/jobs/job-tables.ts";
import type { JobRow } from "../../../packs/jobs/job-tables.ts";
import { briefJobView, startedJobView } from "../../../packs/jobs/job-view.ts";
import type { StateReader } from "../../../machine/state.ts";
import type { NoticeSource } from "../../notices/notice-source.ts";

function runningJobs(state: StateReader, worker: string): readonly JobRow[] {
  return state.rows(jobTable).scan("worker", { prefix: `${worker}${gap}`, limit: Infinity });
}

function startedNotice(row: JobRow): Notice {
  const { worker: owner = "", claim = "" } = row.attemptRow ?? {};
  const paths = [jobPath(row.type)];
  return { notice: "jobs.started", owner_id: owner, paths, job: startedJobView(row), claim };
}

function cancelNotice({ type, id }: Pick<JobRow, "type" | "id">, end: CancelledAttempt): Notice {
  return {
    notice: "jobs.cancel",
    owner_id: end.worker,
    paths: [jobPath(type)],
    job_id: id,
    claim: end.claim,
    why: end.why,
  };
}

interface CancelledAttempt {
  readonly worker: string;
  readonly claim: string;
  readonly why: string;
}

const startedNotices: NoticeSource = {
  word: "jobs.started",
  events: ["jobs.started"],
  begin: (state, owner) => runningJobs(state, owner).map(startedNotice),
  take: (state, { events }) =>
    events.flatMap(({ type, subject, data }) => {
      if (type !== "jobs.started") return [];
      const row = state.rows(jobTable).get(subject.slice("job/".length));
      // The state may be newer than the entry: the attempt may have ended already.
      return row !== undefined && row.attemptRow?.claim === data["claim"] ? [startedNotice(row)] : [];
    }),
  brief: (notice) =>
    ({ ...notice, job: briefJobView((notice as Notice & { readonly job: JsonObject }).job) }) as Notice,
};

const cancelNotices: NoticeSource = {
  word: "jobs.cancel",
  events: ["jobs.cancel_requested"],
  begin: (state, owner) =>
    runningJobs(state, owner).flatMap((row) => {
      const { attemptRow } = row;
      return attemptRow?.cancel === undefined ? [] : [cancelNotice(row, { ...attemptRow, why: attemptRow.cancel })];
    }),
  take: (state, { events }) =>
    events.flatMap(({ type, subject, data }) => {
      if (type !== "jobs.cancel_requested") return [];
      const row = state.rows(jobTable).get(subject.slice("job/".length));
      if (row?.attemptRow === undefined) return [];
      return [cancelNotice(row, { ...row.attemptRow, why: data["why"] as string })];
    }),
};

export const jobNotices: readonly NoticeSource[] = [startedNotices, cancelNotices];
