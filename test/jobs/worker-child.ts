/**
 * A program that works on jobs of one type. It reports each start with its attempt and fence. A job whose payload says
 * `wait` ends at the next line of input, or when its signal aborts. It then tries to complete the job anyway. One with `block` blocks the event loop with a read
 * of that named pipe.
 */
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { connect } from "holdfast";
import type { HoldfastError, RunningJob } from "holdfast";

const [url = "", type = ""] = process.argv.slice(2);
const client = await connect(url.split(","), { name: `worker ${String(process.pid)}` });
const lines = createInterface({ input: process.stdin });

/** A program that ignores the signal. Returns the code of the answer. */
function completeLate({ client: worker, id, claim }: RunningJob): Promise<string> {
  const completed = worker.operations.jobs.complete({ id, claim });
  return completed.then(
    () => "done",
    (error: unknown) => (error as HoldfastError).code,
  );
}

await client.jobs.work(
  type,
  async (job) => {
    const { wait = false, block } = (job.payload ?? {}) as { readonly wait?: boolean; readonly block?: string };
    console.log(`started ${job.id} ${String(job.attempt)} ${job.fence ?? "-"}`);
    // No timer, message or reply of this program is handled until another process has written to the pipe.
    if (block !== undefined) readFileSync(block);
    if (!wait) return;
    await new Promise<void>((resolve, reject) => {
      lines.once("line", () => {
        resolve();
      });
      job.signal.addEventListener("abort", () => {
        console.log(`aborted ${job.id}`);
        void completeLate(job).then((code) => {
          console.log(`late ${code}`);
          reject(new Error("aborted"));
        });
      });
    });
    console.log(`ended ${job.id}`);
  },
  { slots: 2, onError: () => undefined },
);
console.log("works");
