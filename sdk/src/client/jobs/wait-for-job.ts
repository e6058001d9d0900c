import { pause } from "../../base/pause.ts";
import type { ClientClock } from "../client-clock.ts";
import type { CoreClient } from "../core-client.ts";
import type { Job } from "../packs/job-operations.ts";
import { isTemporary } from "./is-temporary.ts";

const ends = ["completed", "failed", "cancelled", "discarded"] as const;

/** Interval between two tries to reach a server that does not answer. */
const againMs = 1_000;

interface AwaitedJob {
  readonly client: Pick<CoreClient, "cursor" | "watch">;
  readonly clock: ClientClock;
  readonly get: (id: string) => Promise<Job>;
  readonly id: string;
  readonly signal: AbortSignal | undefined;
}

/**
 * Follows the events of a job from before the read, so no end is missed. A server that is gone after the first read is
 * waited for.
 */
export async function waitForJob(awaited: AwaitedJob): Promise<Job> {
  const { clock, get, signal } = awaited;
  signal?.throwIfAborted();
  const first = { isRead: false };
  // Every watch starts here, so that an end during an outage is seen.
  const after = await awaited.client.cursor();
  for (;;) {
    try {
      const job = await waitOnce(after, {
        ...awaited,
        get: async (asked) => {
          const read = await get(asked);
          first.isRead = true;
          return read;
        },
      });
      if (job !== undefined) return job;
    } catch (error) {
      signal?.throwIfAborted();
      if (!first.isRead || !isTemporary(error)) throw error;
    }
    await pause(clock, againMs, { signal });
    signal?.throwIfAborted();
  }
}

/** Waits over one watch. Undefined if the watch ended before the job. */
async function waitOnce(after: string, { client, get, id, signal }: AwaitedJob): Promise<Job | undefined> {
  const names = ends.map((end) => `evt.jobs.${end}`);
  const events = client.watch({ after, names, subject: `job/${id}` });
  const stop = (): void => void events.return?.().catch(() => undefined);
  signal?.addEventListener("abort", stop);
  try {
    for (;;) {
      const job = await get(id);
      if (ends.some((end) => end === job.state)) return job;
      const next = await events.next();
      signal?.throwIfAborted();
      if (next.done === true) return undefined;
    }
  } finally {
    signal?.removeEventListener("abort", stop);
    stop();
  }
}
