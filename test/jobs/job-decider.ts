import type { JsonObject } from "../../sdk/src/json/json.ts";
import type { JobRow, JobTotalsRow, ProjectRow, WorkerRow } from "../../server/src/packs/jobs/job-tables.ts";
import { Decider } from "../locks/decider.ts";
import type { DecisionResult } from "../locks/decider.ts";

/** A machine that decides commands of jobs, one after the other, at the time that the test sets. */
export class JobDecider extends Decider {
  /** Decides an operation of the pack. */
  jobs(operation: string, input: JsonObject, agent?: string): DecisionResult {
    return this.decide(`jobs.${operation}`, input, "p", agent);
  }

  submit(id: string, more: JsonObject = {}): DecisionResult {
    return this.jobs("submit", { type: "a", id, ...more });
  }

  /** A new worker with an offer. */
  worker(slots = 1, types: readonly string[] = ["a"]): string {
    const agent = this.register();
    this.jobs("offer", { types, slots }, agent);
    return agent;
  }

  /** A command of the worker of a running job, with its claim. */
  work(operation: string, id: string, more: JsonObject = {}): DecisionResult {
    const { attemptRow } = this.row(id);
    return this.jobs(operation, { id, claim: attemptRow?.claim ?? "1.1", ...more }, attemptRow?.worker);
  }

  beat(...agents: readonly string[]): void {
    this.decide("renew-agents", { beats: agents }, "holdfast");
  }

  row(id: string): JobRow {
    const row = this.rows<JobRow>("jobs").find((each) => each.id === id);
    if (row === undefined) throw new Error(`no job ${id}`);
    return row;
  }

  /** The state of a job, or how it ended. */
  stateOf(id: string): string {
    const row = this.rows<JobRow>("jobs").find((each) => each.id === id);
    return (
      row?.state ?? this.rows<{ id: string; state: string }>("job-ends").find((each) => each.id === id)?.state ?? ""
    );
  }

  running(): readonly string[] {
    return this.rows<JobRow>("jobs")
      .filter(({ state }) => state === "running")
      .map(({ id }) => id);
  }

  totals(): JobTotalsRow | undefined {
    return this.rows<JobTotalsRow>("job-totals")[0];
  }

  projects(): readonly ProjectRow[] {
    return this.rows<ProjectRow>("job-projects");
  }

  workers(): readonly WorkerRow[] {
    return this.rows<WorkerRow>("job-workers");
  }

  rows<Row>(name: string): readonly Row[] {
    return [...this.machine.dump()].filter(({ table }) => table === name).map(({ row }) => row as Row);
  }
}

/** The ids of the jobs that a decision started, in order. */
export function startedIn({ events }: Pick<DecisionResult, "events">): readonly string[] {
  return events.filter(({ type }) => type === "jobs.started").map(({ subject }) => subject.slice("job/".length));
}
