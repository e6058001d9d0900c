import { jobsRules } from "../../../packs/jobs/jobs.ts";
import type { ServerPack } from "../server-pack.ts";
import { getJob } from "./get-job.ts";
import { jobNotices } from "./job-notices.ts";
import { zoneEvidence } from "./zone-evidence.ts";

/** The pack `jobs` with its read of results and its notices to workers. */
export const jobsPack: ServerPack = {
  ...jobsRules,
  reads: { ...jobsRules.reads, "jobs.get": getJob },
  evidence: { "jobs.put-schedule": zoneEvidence },
  notices: jobNotices,
};
