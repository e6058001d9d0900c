import { pause } from "../../base/pause.ts";
import type { ClientClock } from "../client-clock.ts";
import type { CoreClient } from "../core-client.ts";
import type { StartedJob } from "../packs/job-operations.ts";
import { isTemporary } from "./is-temporary.ts";

/** Interval between two tries to read a job. */
const againMs = 1_000;

interface OmittedReader {
  readonly agent: CoreClient;
  readonly clock: ClientClock;
  readonly report: (error: unknown) => void;
}

/** Reads payload and checkpoint of a job whose reply or notice had no room for them. */
export async function readOmitted(job: StartedJob, { agent, clock, report }: OmittedReader): Promise<StartedJob> {
  for (;;) {
    try {
      const { payload, checkpoint } = await agent.operations.jobs.get({ id: job.id });
      return { ...job, payload, checkpoint };
    } catch (error) {
      if (!isTemporary(error)) throw error;
      report(error);
      await pause(clock, againMs);
    }
  }
}
