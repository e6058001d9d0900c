/**
 * The pack `jobs`: a fair, fenced queue.
 *
 * - A slot is a row. Running jobs are counted in the fold, so no failure can leak or double a slot.
 * - A job starts, takes its locks and uses its turn in one entry. The entry that ends a job starts the next one.
 * - Projects take turns. Of two projects with equal jobs that could both be started, none gets two starts more.
 * - An attempt has a claim. Every command of a worker carries it, and an old one is refused.
 * - A worker that is lost leaves its locks stale. Only the same job, or a recovery, gets them.
 */
import { jobs, jobsInternals } from "@holdfast/sdk/contract";
import { rulesOf } from "../../features/rule-of.ts";
import type { DecideContext, Decision, Feature } from "../../machine/feature.ts";
import type { PackRules } from "../pack-rules.ts";
import { packRules } from "../resource-decides.ts";
import type { DecideResource } from "../resource-decides.ts";
import { changeWaitingJob } from "./change.ts";
import { completeJob, completeManyJobs, failRunningJob, releaseJob } from "./complete.ts";
import { configureJobs, pauseJobs, resumeJobs } from "./configure.ts";
import { fireSchedule, scheduleTimer } from "./fire-schedule.ts";
import { jobFolds } from "./job-folds.ts";
import { jobSettingsTable } from "./job-settings-table.ts";
import * as tables from "./job-tables.ts";
import * as timers from "./job-timers.ts";
import { lockForJob, unlockForJob } from "./lock-job.ts";
import { offerWork, takeJobs } from "./offer.ts";
import { progressJob } from "./progress.ts";
import { changeSchedulePause, deleteSchedule, putSchedule } from "./put-schedule.ts";
import { scheduleReads } from "./schedule-reads.ts";
import { scheduleFolds } from "./schedule-folds.ts";
import { scheduleTable, zoneTable } from "./schedule-tables.ts";
import { updateZone } from "./set-zone.ts";
import { listJobs, listWorkers, readStats } from "./list-jobs.ts";
import { cancelJobs, discardJobs, retryJobs } from "./cancel-jobs.ts";
import { submitJob, submitManyJobs } from "./submit.ts";
import { ticketReaction } from "./ticket-reaction.ts";
import { foldJobBeats, foldWorkerEnded, workerFolds } from "./worker-folds.ts";

/** The contract has checked the input, so a rule reads it with its own type. */
const rule = (decide: (input: never, context: DecideContext) => Decision): DecideResource => decide as DecideResource;

const feature: Feature = {
  name: "jobs",
  needs: ["space", "agents", "locks"],
  tables: [
    tables.jobTable,
    tables.laneTable,
    tables.projectTable,
    tables.jobTypeTable,
    tables.workTable,
    tables.workerTable,
    tables.offerTable,
    tables.jobTotalsTable,
    tables.uniqueTable,
    tables.edgeTable,
    tables.endedJobTable,
    tables.endPlaceTable,
    jobSettingsTable,
    scheduleTable,
    zoneTable,
  ],
  rules: {
    ...packRules(jobs, {
      "jobs.submit": rule(submitJob),
      "jobs.submit-many": rule(submitManyJobs),
      "jobs.cancel": rule(cancelJobs),
      "jobs.retry": rule(retryJobs),
      "jobs.discard": rule(discardJobs),
      "jobs.change": rule(changeWaitingJob),
      "jobs.offer": rule(offerWork),
      "jobs.take": rule(takeJobs),
      "jobs.progress": rule(progressJob),
      "jobs.complete": rule(completeJob),
      "jobs.complete-many": rule(completeManyJobs),
      "jobs.fail": rule(failRunningJob),
      "jobs.release": rule(releaseJob),
      "jobs.lock": rule(lockForJob),
      "jobs.unlock": rule(unlockForJob),
      "jobs.configure": rule(configureJobs),
      "jobs.pause": rule(pauseJobs),
      "jobs.resume": rule(resumeJobs),
      "jobs.put-schedule": rule(putSchedule),
      "jobs.pause-schedule": rule(changeSchedulePause(true)),
      "jobs.resume-schedule": rule(changeSchedulePause(false)),
      "jobs.delete-schedule": rule(deleteSchedule),
    }),
    ...rulesOf(jobsInternals, {
      "jobs.ready": timers.readyJobs,
      "jobs.expire": timers.expireJob,
      "jobs.end-attempt": timers.endOverdueAttempt,
      "jobs.expire-offer": timers.expireOffer,
      "jobs.fill": timers.continueFill,
      "jobs.drop": timers.dropJobs,
      "jobs.fire-schedule": fireSchedule,
      "jobs.set-zone": updateZone,
    }),
  },
  folds: {
    ...jobFolds,
    ...workerFolds,
    ...scheduleFolds,
    "agents.renewed": foldJobBeats,
    "agent.ended": foldWorkerEnded,
  },
  reactions: { "lock.cancelled": ticketReaction },
  timers: [...timers.jobTimers, scheduleTimer],
};

export const jobsRules: PackRules = {
  contract: jobs,
  feature,
  kinds: [],
  reads: { "jobs.list": listJobs, "jobs.stats": readStats, "jobs.list-workers": listWorkers, ...scheduleReads },
};
