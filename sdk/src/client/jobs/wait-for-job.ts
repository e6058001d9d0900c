import type { CoreClient } from "../core-client.ts";
import type { Job } from "../packs/job-operations.ts";

const ends = ["completed", "failed", "cancelled", "discarded"];

/** Follows the events of a job from before the read, so no end is missed. */
export async function waitForJob(
  client: Pick<CoreClient, "cursor" | "watch">,
  get: (id: string) => Promise<Job>,
  id: string,
  signal?: AbortSignal,
): Promise<Job> {
  signal?.throwIfAborted();
  const after = await client.cursor();
  const names = ends.map((end) => `evt.jobs.${end}`);
  const events = client.watch({ after, names, subject: `job/${id}` });
  const stop = (): void => void events.return?.().catch(() => undefined);
  signal?.addEventListener("abort", stop);
  try {
    for (let job = await get(id); ; job = await get(id)) {
      if (ends.includes(job.state)) return job;
      const { done } = await events.next();
      signal?.throwIfAborted();
      if (done === true) throw new Error(`The watch of job ${id} ended before the job`);
    }
  } finally {
    signal?.removeEventListener("abort", stop);
    stop();
  }
}
