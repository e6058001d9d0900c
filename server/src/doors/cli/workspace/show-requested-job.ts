/** The commands of long work: each requests a job, and --watch follows it with live progress. */
import type { CommandContext } from "../discovery/server-command.ts";
import type { ExitCode } from "../exit-codes.ts";
import { followJob } from "../job/follow-job.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";

/** The option of each command that requests a job. */
export const watchJobOption = { watch: { summary: "follow the job until it ends" } } as const;

/** The last lines of the help of each command that requests a job. */
export const watchJobDetails = [
  "The work is a job, which holds the locks. With --watch the command follows it: a bar in a terminal, a line per change",
  "elsewhere. The exit code is then 0 if the job was completed, and 9 if it failed or was cancelled.",
] as const;

export interface RequestedJob {
  readonly job: string;
  readonly state: string;
}

/** Shows a job that the server submitted. `nextStep` is the sentence about the use of its result. */
export function showRequestedJob(
  context: CommandContext,
  answer: RequestedJob,
  nextStep?: (job: string) => string,
): Promise<ExitCode> | ExitCode {
  const { values, isJson, terminal, show } = context;
  const job = escapeControlChars(answer.job);
  const lines = nextStep === undefined ? [] : [nextStep(job)];
  const text = `${job} is ${answer.state}.`;
  if (values["watch"] !== true)
    return show(answer, () => [`${text} Follow it: holdfast job ${job} --watch`, ...lines].join("\n"));
  if (!isJson) for (const line of [text, ...lines]) terminal.warn(`holdfast: ${line}`);
  return followJob(context, answer.job);
}
