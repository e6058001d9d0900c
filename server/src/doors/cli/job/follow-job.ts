import type { Client } from "@holdfast/sdk";
import { jsonLine } from "../../../base/json-line.ts";
import { systemClock } from "../../../base/clock.ts";
import type { CommandContext } from "../discovery/server-command.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { AgentNames } from "../terminal/agent-names.ts";
import { truncateToWidth } from "../terminal/table.ts";
import { listenForSignal } from "../terminal/until-signal.ts";
import { jobDetails } from "./job-details.ts";
import { drawnLine, jobLine } from "./job-line.ts";
import { hasEnded } from "./wire-job.ts";
import type { WireJob } from "./wire-job.ts";

/** Interval between two redraws of the bar, which shows the age of the attempt. */
const redrawIntervalMs = 1_000;

/** Reads a job with the name of its worker. */
export async function readJob({ run }: Pick<CommandContext, "run">, names: AgentNames, id: string): Promise<WireJob> {
  const job = (await run("jobs.get", { id })) as WireJob;
  if (job.worker !== undefined) await names.load([job.worker]);
  return job;
}

/** The exit code by which a script distinguishes how a job ended. */
function exitCodeOfJob({ state }: WireJob): ExitCode {
  return hasEnded({ state } as WireJob) && state !== "completed" ? exitCodes.jobFailed : exitCodes.done;
}

/**
 * Shows a job until it ends: a bar in a terminal, a line per change elsewhere, and the whole job as JSON with --json.
 * Ctrl+C stops the command, not the job.
 */
export async function followJob(context: CommandContext, id: string): Promise<ExitCode> {
  const { terminal, isJson } = context;
  const names = new AgentNames(context);
  const labelOf = (worker: string): string => names.label(worker);
  await using client = await context.connect();
  const changes = client.watch({ after: await client.cursor(), subject: `job/${id}` });
  const listening = listenForSignal(systemClock);
  const stopped = listening.signalled.then(() => undefined);
  const shown = { line: "" };
  let cancelDrawing: () => void = () => undefined;
  const draw = (job: WireJob): void => {
    cancelDrawing();
    terminal.draw?.(truncateToWidth(drawnLine(job, systemClock.wallMs()), terminal.width - 1));
    cancelDrawing = systemClock.after(redrawIntervalMs, () => draw(job), { keepAlive: false });
  };
  const showChange = (job: WireJob): void => {
    const line = isJson ? jsonLine(job) : jobLine(job, labelOf);
    if (line === shown.line) return;
    shown.line = line;
    if (!isJson && terminal.draw !== undefined) draw(job);
    else terminal.print(line);
  };
  try {
    for (;;) {
      const job = await readJob(context, names, id);
      if (!hasEnded(job) || isJson) showChange(job);
      if (hasEnded(job)) {
        cancelDrawing();
        if (!isJson) terminal.draw?.("");
        const { paint } = terminal;
        if (!isJson) terminal.print(jobDetails(job, { paint, nowMs: systemClock.wallMs(), labelOf }));
        return exitCodeOfJob(job);
      }
      if ((await Promise.race([stopped, nextChange(changes)])) === undefined) return exitCodes.done;
    }
  } finally {
    cancelDrawing();
    listening.stop();
    void changes.return?.();
  }
}

/** Undefined if the watch ended. */
async function nextChange(changes: ReturnType<Client["watch"]>): Promise<true | undefined> {
  const { done } = await changes.next();
  return done === true ? undefined : true;
}
