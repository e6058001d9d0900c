import { defined } from "@holdfast/sdk/base/defined";
import { jobEnds } from "@holdfast/sdk/contract";
import { systemClock } from "../../../base/clock.ts";
import { choiceOption, numberOption, textOption } from "../args/option-values.ts";
import type { CliCommand } from "../command.ts";
import { limitDefault, limitOption, moreItemsHint, readPages } from "../discovery/read-pages.ts";
import { serverCommand } from "../discovery/server-command.ts";
import type { CommandContext } from "../discovery/server-command.ts";
import { showOnChange } from "../discovery/show-on-change.ts";
import type { ExitCode } from "../exit-codes.ts";
import { AgentNames } from "../terminal/agent-names.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { relativeTime } from "../terminal/relative-time.ts";
import { table } from "../terminal/table.ts";
import { jobNote } from "./job-line.ts";
import { showJobStats } from "./job-stats.ts";
import { unfinishedStates } from "./unfinished-states.ts";
import type { WireJob } from "./wire-job.ts";

/** The states of jobs that have not ended. A failed job waits for a retry. */
const openStates = [...unfinishedStates, "failed"] as const;
const listedStates = [...openStates, ...jobEnds] as const;

export const jobsCommand: CliCommand = serverCommand({
  name: "jobs",
  positionalsMax: 0,
  summary: "count the jobs by type and state, or list them",
  details: [
    "Without a filter it counts the jobs of each type by state, and shows the caps and the workers. With a filter it lists",
    "jobs. A list by project without a type may be slow if there are many jobs. Jobs that ended are listed by --state, the",
    "newest first.",
    "",
    "  holdfast jobs",
    "  holdfast jobs --state failed",
    "  holdfast jobs --state completed --type mail.send",
    "  holdfast jobs --type mail.send --watch",
    "  holdfast jobs --project p1 --json",
  ],
  options: {
    state: { value: "STATE", summary: `only ${listedStates.join(", ")} jobs` },
    type: { value: "TYPE", summary: "only jobs of this type" },
    project: { value: "PROJECT", summary: "only jobs of this project" },
    watch: { summary: "show the jobs again after each change, until it is stopped with Ctrl+C" },
    limit: limitOption,
  },
  operations: ["jobs.list", "jobs.stats"],
  execute: (context) =>
    context.values["watch"] === true
      ? showOnChange(context, {
          isAbout: (subject) => subject.startsWith("job/") || subject.startsWith("worker/"),
          show: async () => {
            await showJobs(context);
            return true;
          },
        })
      : showJobs(context),
});

interface JobPage {
  readonly items: readonly WireJob[];
  readonly next: string | null;
}

function showJobs(context: CommandContext): Promise<ExitCode> {
  const { values } = context;
  const state = choiceOption(values, "state", listedStates);
  const filters = defined({ type: textOption(values, "type"), project: textOption(values, "project") });
  if (state === undefined && Object.keys(filters).length === 0) return showJobStats(context);
  return listJobs(context, state === undefined ? openStates : [state], filters);
}

async function listJobs(
  context: CommandContext,
  states: readonly string[],
  filters: Readonly<Record<string, string>>,
): Promise<ExitCode> {
  const { run, values, terminal, show } = context;
  const limit = numberOption(values, "limit", 1) ?? limitDefault;
  const items: WireJob[] = [];
  let next: string | null = null;
  for (const state of states) {
    if (items.length >= limit) break;
    const read = async (part: object): Promise<JobPage> =>
      (await run("jobs.list", { state, ...filters, ...part })) as JobPage;
    const page: JobPage = await readPages(limit - items.length, read);
    items.push(...page.items);
    next ??= page.next;
  }
  const names = new AgentNames(context);
  await names.load(items.flatMap(({ worker }) => (worker === undefined ? [] : [worker])));
  const nowMs = systemClock.wallMs();
  const rows = items.map((job) => [
    escapeControlChars(job.id),
    escapeControlChars(job.type),
    job.project === "" ? "-" : escapeControlChars(job.project),
    job.state === "failed" ? terminal.paint.warning(job.state) : job.state,
    job.max_attempts === undefined ? String(job.attempt) : `${job.attempt} of ${job.max_attempts}`,
    job.submitted_at === undefined ? "-" : relativeTime(job.submitted_at, nowMs),
    jobNote(job, nowMs, (worker) => names.label(worker)),
  ]);
  return show({ items, next }, () =>
    rows.length === 0
      ? "No job matches. `--state completed` lists jobs that ended."
      : table(["JOB", "TYPE", "PROJECT", "STATE", "ATTEMPT", "SUBMITTED", "NOTE"], rows, terminal.paint) +
        moreItemsHint(next),
  );
}
