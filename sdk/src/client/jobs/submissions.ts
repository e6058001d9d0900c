import { HoldfastError } from "../holdfast-error.ts";
import type { JobOperations } from "../packs/job-operations.ts";
import type { CallOptions } from "../transport/transport.ts";
import { TurnBatches } from "./turn-batches.ts";
import type { BatchedItem } from "./turn-batches.ts";

type JobRequest = JobOperations["submit"]["input"];
type Submitted = JobOperations["submit"]["output"];

/** Maximum jobs of one command. */
const jobsMax = 100;

/**
 * Submits the jobs of one turn and one project by one command. Each caller gets the result of its own job: if the command
 * is refused, each job is submitted alone. Projects are apart, so a full backlog delays only its own project.
 */
export class Submissions {
  readonly #ask: <Output>(operation: string, input: object, call?: CallOptions) => Promise<Output>;
  readonly #batches: TurnBatches<JobRequest, Submitted>;

  constructor(ask: <Output>(operation: string, input: object, call?: CallOptions) => Promise<Output>) {
    this.#ask = ask;
    this.#batches = new TurnBatches({
      itemsMax: jobsMax,
      // The replies of one frame resume their callers before this microtask. So it adds no delay.
      soon: queueMicrotask,
      send: (items) => void this.#send(items),
    });
  }

  submit(job: JobRequest): Promise<Submitted> {
    return this.#batches.add(job.project ?? "", job);
  }

  async #send(items: readonly BatchedItem<JobRequest, Submitted>[]): Promise<void> {
    if (items.length === 1) {
      this.#submitAlone(items);
      return;
    }
    try {
      const { jobs } = await this.#ask<JobOperations["submit-many"]["output"]>("submit-many", {
        jobs: items.map(({ item }) => item),
      });
      for (const [index, { resolve, reject }] of items.entries()) {
        const submitted = jobs[index];
        if (submitted === undefined) reject(new Error("the reply has fewer jobs than the request"));
        else resolve(submitted);
      }
    } catch (error) {
      if (isUndecided(error)) for (const { reject } of items) reject(error);
      else this.#submitAlone(items);
    }
  }

  #submitAlone(items: readonly BatchedItem<JobRequest, Submitted>[]): void {
    for (const { item, resolve } of items) resolve(this.#ask("submit", item));
  }
}

/** The jobs may have been submitted, or no server answers. Sent again, they could run twice. */
function isUndecided(error: unknown): boolean {
  return !(error instanceof HoldfastError) || error.retry === "same-key";
}
