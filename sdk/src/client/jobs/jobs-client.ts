import { defined } from "../../base/defined.ts";
import type { ClientClock } from "../client-clock.ts";
import type { CoreClient } from "../core-client.ts";
import type { Run } from "../entities-client.ts";
import type { HeartbeatThread } from "../locks/heartbeats/heartbeats.ts";
import type { Job, JobOperations } from "../packs/job-operations.ts";
import type { CallOptions } from "../transport/transport.ts";
import { JobWorker } from "./job-worker.ts";
import type { WorkOptions } from "./job-worker.ts";
import type { NoticePages } from "./job-worker.ts";
import type { JobHandler } from "./running-job.ts";
import { Submissions } from "./submissions.ts";
import { waitForJob } from "./wait-for-job.ts";

type Of<Name extends keyof JobOperations> = JobOperations[Name];
type JobTerms = Omit<Of<"submit">["input"], "type" | "payload">;

/** The pack `jobs`: a fair queue with caps, claims and locks. */
export interface JobsClient {
  /**
   * Submits a job. Without an id the server makes one. Jobs that are submitted in the same turn without options share a
   * command, and each has its own result.
   */
  submit(type: string, payload?: unknown, terms?: JobTerms, options?: CallOptions): Promise<Of<"submit">["output"]>;
  /** Submits up to 1,000 jobs in one entry, all or none. */
  submitMany(jobs: Of<"submit-many">["input"]["jobs"], options?: CallOptions): Promise<Of<"submit-many">["output"]>;
  /** Runs jobs of these types in this program until the worker is drained. Call it once for each set of types. */
  work(types: string | readonly string[], handler: JobHandler, options?: WorkOptions): Promise<JobWorker>;
  /** Waits until a job is completed, failed, cancelled or discarded, and returns it. */
  wait(id: string, options?: { readonly signal?: AbortSignal }): Promise<Job>;
  get(id: string): Promise<Job>;
  list(query: Of<"list">["input"]): Promise<Of<"list">["output"]>;
  stats(query?: Of<"stats">["input"]): Promise<Of<"stats">["output"]>;
  listWorkers(query?: Of<"list-workers">["input"]): Promise<Of<"list-workers">["output"]>;
  /** One job by `id`, or the jobs of a `type` in a `state`. */
  cancel(jobs: Of<"cancel">["input"], options?: CallOptions): Promise<Of<"cancel">["output"]>;
  /** One failed job by `id`, or all failed jobs of a `type`. */
  retry(jobs: Of<"retry">["input"], options?: CallOptions): Promise<Of<"retry">["output"]>;
  discard(jobs: Of<"discard">["input"], options?: CallOptions): Promise<Of<"discard">["output"]>;
  /** Changes a job that does not run yet. */
  change(id: string, changes: Of<"change">["input"]["changes"]): Promise<Of<"change">["output"]>;
  readonly schedules: SchedulesClient;
  /** For operators. */
  configure(settings: Of<"configure">["input"]): Promise<Of<"configure">["output"]>;
  /** For operators. */
  pause(target: Of<"pause">["input"]): Promise<Of<"pause">["output"]>;
  /** For operators. */
  resume(target: Of<"resume">["input"]): Promise<Of<"resume">["output"]>;
}

type ScheduleTerms = Omit<Of<"put-schedule">["input"], "id">;
type Schedule = Of<"get-schedule">["output"];

/** Schedules submit a job at the times of a cron expression. */
export interface SchedulesClient {
  /** Creates a schedule, or replaces one. */
  put(id: string, schedule: ScheduleTerms, options?: CallOptions): Promise<Of<"put-schedule">["output"]>;
  get(id: string): Promise<Schedule>;
  list(query?: Of<"list-schedules">["input"]): Promise<Of<"list-schedules">["output"]>;
  /** Times that pass during a pause are not caught up. */
  pause(id: string, options?: CallOptions): Promise<Of<"pause-schedule">["output"]>;
  resume(id: string, options?: CallOptions): Promise<Of<"resume-schedule">["output"]>;
  delete(id: string, options?: CallOptions): Promise<Of<"delete-schedule">["output"]>;
}

interface JobsHost {
  readonly run: Run;
  readonly clock: ClientClock;
  readonly client: CoreClient;
  /** Sends heartbeats without the event loop of the program, where threads exist. */
  readonly thread: HeartbeatThread | undefined;
  readonly notices: (query: { readonly owner: string }) => NoticePages;
}

export function jobsClient({ run, clock, client, thread, notices }: JobsHost): JobsClient {
  const ask = <Output>(operation: string, input: object, call: CallOptions = {}): Promise<Output> =>
    run(`jobs.${operation}`, input, call) as Promise<Output>;
  const get = (id: string): Promise<Job> => ask("get", { id });
  const submissions = new Submissions(ask);
  return {
    submit: (type, payload, terms = {}, options) => {
      const job = { ...defined({ type, payload }), ...terms };
      return options === undefined ? submissions.submit(job) : ask("submit", job, options);
    },
    submitMany: (jobs, options) => ask("submit-many", { jobs }, options),
    work: (types, handler, options = {}) =>
      JobWorker.start(
        { client, clock, handler, thread, notices },
        typeof types === "string" ? [types] : types,
        options,
      ),
    wait: (id, { signal } = {}) => waitForJob({ client, clock, get, id, signal }),
    get,
    list: (query) => ask("list", query),
    stats: (query = {}) => ask("stats", query),
    listWorkers: (query = {}) => ask("list-workers", query),
    cancel: (jobs, options) => ask("cancel", jobs, options),
    retry: (jobs, options) => ask("retry", jobs, options),
    discard: (jobs, options) => ask("discard", jobs, options),
    change: (id, changes) => ask("change", { id, changes }),
    schedules: {
      put: (id, schedule, options) => ask("put-schedule", { id, ...schedule }, options),
      get: (id) => ask("get-schedule", { id }),
      list: (query = {}) => ask("list-schedules", query),
      pause: (id, options) => ask("pause-schedule", { id }, options),
      resume: (id, options) => ask("resume-schedule", { id }, options),
      delete: (id, options) => ask("delete-schedule", { id }, options),
    },
    configure: (settings) => ask("configure", settings),
    pause: (target) => ask("pause", target),
    resume: (target) => ask("resume", target),
  };
}
