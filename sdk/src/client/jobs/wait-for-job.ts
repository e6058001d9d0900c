import { defined } from "../../base/defined.ts";
import { pause } from "../../base/pause.ts";
import type { ClientClock } from "../client-clock.ts";
import type { CoreClient } from "../core-client.ts";
import { HoldfastError } from "../holdfast-error.ts";
import type { Job } from "../packs/job-operations.ts";
import type { WatchedEvent } from "../transport.ts";
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
    let event: WatchedEvent | undefined;
    for (;;) {
      const job = await get(id).catch((error: unknown) => endedBy(event, id, error));
      if (ends.some((end) => end === job.state)) return job;
      const next = await events.next();
      signal?.throwIfAborted();
      if (next.done === true) return undefined;
      event = next.value;
    }
  } finally {
    signal?.removeEventListener("abort", stop);
    stop();
  }
}

/** The job as its last event shows it, if so many jobs ended after it that the server has only its history. */
function endedBy(event: WatchedEvent | undefined, id: string, error: unknown): Job {
  const state = ends.find((end) => event?.name === `evt.jobs.${end}`);
  const isUnknown = error instanceof HoldfastError && error.code === "jobs.unknown";
  if (!isUnknown || event === undefined || state === undefined) throw error;
  const { type = "", project = "", attempt = 0, result } = event.data as Partial<Job>;
  return defined({ id, type, project, attempt, state, result });
}
