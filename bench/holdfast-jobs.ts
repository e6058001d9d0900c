/** Jobs of Holdfast over the socket, with the server in a process of its own. */
import { connect } from "holdfast";
import { startChild } from "./processes/child-server.ts";
import { jobPayload, jobSlots } from "./job-queue.ts";
import type { JobQueue } from "./job-queue.ts";

export async function holdfastJobs(folder: string, postgres?: string): Promise<JobQueue> {
  const server = await startChild("job-server.ts", [folder, ...(postgres === undefined ? [] : [postgres])]);
  // Senders and workers are usually different programs.
  const [sender, receiver] = [await connect(server.url), await connect(server.url)];
  const queue: JobQueue = {
    submit: () => sender.jobs.submit("noop", jobPayload),
    onStart: () => undefined,
    async close() {
      await worker.drain();
      await sender.close();
      await receiver.close();
      await server.close();
    },
  };
  const worker = await receiver.jobs.work("noop", () => queue.onStart(), { slots: jobSlots });
  return queue;
}
