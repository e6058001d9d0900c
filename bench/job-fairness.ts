/** Nine small projects next to a large one, and the bytes of a job in the journal, on the machine alone. */
import { jobPayload } from "./job-queue.ts";
import { machineRunner } from "./machine-runner.ts";
import { atMost } from "./report.ts";
import type { Row } from "./report.ts";

const smallProjects = 9;
const jobsOfEach = 100;
const batch = 1_000;

type Run = ReturnType<typeof machineRunner>;

/** One worker with one slot runs all jobs. The measure is the number of starts, so it does not depend on the host. */
export function jobFairnessRows(largeBacklog: number): readonly Row[] {
  const run = machineRunner();
  submitAll(run, "large", largeBacklog);
  for (let index = 0; index < smallProjects; index += 1) submitAll(run, `small-${index}`, jobsOfEach);
  const registered = run("register-agent", { inactivity_seconds: 604_800 });
  const { agent_id: worker } = registered.outcome.data as { readonly agent_id: string };
  let left = smallProjects * jobsOfEach;
  let starts = 0;
  let bytes = 0;
  let { events } = run("jobs.offer", { types: ["noop"], slots: 1 }, worker);
  while (left > 0) {
    const started = events.find(({ type }) => type === "jobs.started");
    if (started === undefined) throw new Error("no job starts");
    starts += 1;
    if (started.data["project"] !== "large") left -= 1;
    const ended = { id: started.subject.slice("job/".length), claim: started.data["claim"] };
    const completed = run("jobs.complete", ended, worker);
    ({ events } = completed);
    bytes += textBytes(ended, completed);
  }
  const job = { type: "noop", project: "large", payload: jobPayload };
  const bytesOfJob = textBytes(job, run("jobs.submit", job)) + bytes / starts;
  // Alone, nine projects have nine of ten turns while the large one has one.
  const share = (smallProjects + 1) * jobsOfEach;
  return [
    atMost(
      `starts until 9 × 100 jobs are done next to ${largeBacklog} of one project, over their share`,
      starts,
      share,
      1.2,
    ),
    atMost("journal bytes of a job, submitted, started and completed, over 2 KiB", bytesOfJob, 2_048, 1),
  ];
}

function submitAll(run: Run, project: string, count: number): void {
  for (let left = count; left > 0; left -= batch) {
    const jobs = Array.from({ length: Math.min(batch, left) }, () => ({ type: "noop", project, payload: jobPayload }));
    run("jobs.submit-many", { jobs });
  }
}

/** The text of an entry, without its frame of about 200 bytes. */
function textBytes(input: object, { outcome, events }: ReturnType<Run>): number {
  return 200 + JSON.stringify([input, outcome, events]).length;
}
