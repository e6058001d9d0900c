import { pause } from "../../base/pause.ts";
import type { ClientClock } from "../client-clock.ts";
import type { CoreClient } from "../core-client.ts";
import type { StartedJob } from "../packs/job-operations.ts";
import { isTemporary } from "./is-temporary.ts";
import { JobReturn } from "./running-job.ts";

/** Interval between two tries to read a job. */
const againMs = 1_000;

interface OmittedReader {
  readonly agent: CoreClient;
  readonly clock: ClientClock;
  readonly report: (error: unknown) => void;
  readonly signal: AbortSignal;
}

/** Reads payload and checkpoint of a job whose reply or notice had no room for them. It throws if the attempt has ended. */
export async function readOmitted(
  job: StartedJob,
  { agent, clock, report, signal }: OmittedReader,
): Promise<StartedJob> {
  for (;;) {
    signal.throwIfAborted();
    try {
      const { claim, payload, checkpoint } = await agent.operations.jobs.get({ id: job.id });
      // An ended job is shown without its payload, and a later attempt or a new job with the id may have another one.
      if (claim !== job.claim) throw new JobReturn(0, `job ${job.id}: its attempt ended before its payload was read`);
      return { ...job, payload, checkpoint };
    } catch (error) {
      if (!isTemporary(error)) throw error;
      report(error);
      await pause(clock, againMs, { signal });
    }
  }
}
