import { defined } from "../../base/defined.ts";
import { pause } from "../../base/pause.ts";
import type { ClientClock } from "../client-clock.ts";
import type { CoreClient } from "../core-client.ts";
import { HoldfastError } from "../holdfast-error.ts";
import type { JobOperations } from "../packs/job-operations.ts";
import { failedEnd } from "./attempt-end.ts";
import type { AttemptEnd } from "./attempt-end.ts";
import { isTemporary } from "./is-temporary.ts";
import { TurnBatches } from "./turn-batches.ts";
import type { BatchedItem } from "./turn-batches.ts";

/** Interval between two tries to report the end of an attempt. */
const endAgainMs = 1_000;

/** Maximum jobs that one command completes. */
const completedMax = 100;

interface Attempt {
  readonly id: string;
  readonly claim: string;
}

type Completed = JobOperations["complete-many"]["input"]["jobs"][number];

interface AttemptEndsHost {
  readonly agent: CoreClient;
  readonly clock: ClientClock;
  readonly report: (error: unknown) => void;
}

/**
 * Reports the ends of attempts until the server has them. Heartbeats keep a job alive whose end is not reported, so it
 * would keep its slot forever. One command completes all jobs that end in one turn. The next jobs arrive as notices.
 */
export class AttemptEnds {
  readonly #host: AttemptEndsHost;
  readonly #completed: TurnBatches<Completed, undefined>;

  constructor(host: AttemptEndsHost) {
    this.#host = host;
    const { clock } = host;
    this.#completed = new TurnBatches({
      itemsMax: completedMax,
      soon: (callback) => {
        clock.soon(callback);
      },
      send: (items) => void this.#complete(items),
    });
  }

  send({ id, claim }: Attempt, end: AttemptEnd): Promise<undefined> {
    return end.operation === "complete"
      ? this.#completed.add("", { id, claim, ...end.input })
      : this.#sendAlone({ id, claim }, end);
  }

  async #complete(items: readonly BatchedItem<Completed, undefined>[]): Promise<void> {
    const [first] = items;
    if (first === undefined) return;
    const results = items.length === 1 ? undefined : await this.#completeMany(items.map(({ item }) => item));
    for (const [index, { item, resolve }] of items.entries()) {
      const { state, code } = results?.[index] ?? {};
      if (state === "completed" || code === staleCode) resolve(undefined);
      else resolve(this.#sendAlone(item, { operation: "complete", input: resultOf(item) }));
    }
  }

  /** The result of each job. Undefined if the command is refused. A job that it completed has no claim then. */
  async #completeMany(jobs: Completed[]): Promise<JobOperations["complete-many"]["output"]["jobs"] | undefined> {
    const { agent, clock, report } = this.#host;
    for (;;) {
      try {
        // No other batch has the first claim, so the key makes a repeated command the same request.
        const call = { key: `complete-many ${jobs[0]?.claim ?? ""}` };
        return (await agent.operations.jobs.completeMany({ jobs, withNext: false }, call)).jobs;
      } catch (error) {
        if (!isTemporary(error)) return undefined;
        report(error);
        await pause(clock, endAgainMs);
      }
    }
  }

  /** An end that the server refuses, such as one with a result that is too large, becomes a failure of the attempt. */
  async #sendAlone({ id, claim }: Attempt, end: AttemptEnd): Promise<undefined> {
    const { agent, clock, report } = this.#host;
    for (;;) {
      try {
        // The key makes a repeated end the same request: its reply may be lost.
        const call = { key: `${end.operation} ${claim}` };
        await agent.operations.jobs[end.operation]({ id, claim, ...end.input, withNext: false } as never, call);
        return undefined;
      } catch (error) {
        if (hasCode(error, staleCode)) return undefined;
        if (isTemporary(error)) {
          report(error);
          await pause(clock, endAgainMs);
        } else if (end.operation === "fail" || hasCode(error, "closed") || hasCode(error, "agent_unknown")) throw error;
        else return this.#sendAlone({ id, claim }, failedEnd(error, { retry: false }));
      }
    }
  }
}

const staleCode = "jobs.claim_stale";

function resultOf({ result }: Completed): { readonly result?: unknown } {
  return defined({ result });
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof HoldfastError && error.code === code;
}
