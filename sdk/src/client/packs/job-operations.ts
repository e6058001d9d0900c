/** The types of the operations of jobs, by the name after the dot. */
import type { jobsOperations } from "../../contract/packs/jobs/jobs-operations.ts";
import type { jobsScheduleOperations } from "../../contract/packs/jobs/jobs-schedules.ts";
import type { jobsSettingsOperations } from "../../contract/packs/jobs/jobs-settings.ts";
import type { jobsWorkOperations } from "../../contract/packs/jobs/jobs-work-operations.ts";
import type { InputOfOperation, OutputOfOperation } from "../operation-output.ts";

type Definitions =
  | (typeof jobsOperations)[number]
  | (typeof jobsWorkOperations)[number]
  | (typeof jobsSettingsOperations)[number]
  | (typeof jobsScheduleOperations)[number];
type ShortName<Name> = Name extends `jobs.${infer Short}` ? Short : never;

export type JobOperations = {
  [Definition in Definitions as ShortName<Definition["name"]>]: {
    readonly input: InputOfOperation<Definition>;
    readonly output: OutputOfOperation<Definition>;
  };
};

/** A job as reads show it. */
export type Job = JobOperations["get"]["output"];
/** A job that the server started for a worker. */
export type StartedJob = NonNullable<JobOperations["take"]["output"]["next"]>[number];
