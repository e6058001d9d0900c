/** Runs the command of a worker for one job: the payload is its input, and its output is the result. */
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import type { RunningJob } from "@holdfast/sdk/running-job";
import { pause } from "@holdfast/sdk/base/pause";
import { systemClock } from "../../../base/clock.ts";
import { startChild } from "../lock/child.ts";
import type { Child } from "../lock/child.ts";
import { progressLine } from "./progress-line.ts";

/** Time between SIGTERM and SIGKILL. It is less than the time that the server and the lease leave. */
const graceMs = 9_000;

/** Maximum bytes of standard output. A result has at most 64 KiB of JSON. */
const outputMax = 64 * 1024;

/** Maximum characters of the end of standard error in the error of an attempt. */
const errorMax = 1_500;

/** Time after the exit of a command in which its children may close its output. */
const outputEndMs = 1_000;

/** Exit codes of sysexits.h: bad data, which no retry repairs, and a temporary failure. */
const codes = { fatal: 65, later: 75, notRunnable: 126, notFound: 127 };

export interface JobCommand {
  readonly command: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Time until the next run after exit code 75. */
  readonly laterMs: number;
  /** A line that the command wrote to standard error. */
  readonly log: (line: string) => void;
  /** The command could not be started. No other job can succeed either. */
  readonly onStartError: (reason: string) => void;
}

/** The result of the command, or the error of the attempt. */
export async function runJobCommand(job: RunningJob, options: JobCommand): Promise<unknown> {
  const { command, log, onStartError, laterMs } = options;
  const child = startChild(command, jobEnvironment(job, options.env), systemClock, ["pipe", "pipe", "pipe", "pipe"]);
  const stop = (): void => {
    child.stop(graceMs);
  };
  job.signal.addEventListener("abort", stop);
  if (job.signal.aborted) stop();
  const tail: string[] = [];
  const output = collect(child, job, (line) => {
    log(line);
    tail.push(line);
    if (tail.length > 20) tail.shift();
  });
  const { code, signal, startError } = await child.exited;
  job.signal.removeEventListener("abort", stop);
  if (startError !== undefined) {
    onStartError(`${command[0]} could not be started: ${startError}`);
    throw job.snooze(1_000);
  }
  const { text, isTooLarge } = await output();
  job.signal.throwIfAborted();
  if (code === 0 && isTooLarge)
    throw job.fatal(`standard output has more than ${outputMax} bytes: print a reference, and log to standard error`);
  if (code === 0) return resultOf(text);
  if (code === codes.later) throw job.snooze(laterMs);
  const how = signal === null ? `exit code ${code}` : `ended by ${signal}`;
  const message = [how, tail.join("\n").slice(-errorMax)].filter((part) => part !== "").join("\n");
  throw code === codes.fatal ? job.fatal(message) : new Error(message);
}

/** The variables that name the job. The fence is the one of its locks. */
function jobEnvironment(job: RunningJob, env: JobCommand["env"]): JobCommand["env"] {
  const { agentId, secret } = job.agent;
  return {
    ...env,
    HOLDFAST_AGENT_ID: agentId,
    HOLDFAST_AGENT_SECRET: secret,
    HOLDFAST_JOB_ID: job.id,
    HOLDFAST_JOB_TYPE: job.type,
    HOLDFAST_JOB_PROJECT: job.project,
    HOLDFAST_JOB_ATTEMPT: String(job.attempt),
    HOLDFAST_JOB_CLAIM: job.claim,
    HOLDFAST_JOB_CHECKPOINT: job.checkpoint === undefined ? undefined : JSON.stringify(job.checkpoint),
    HOLDFAST_FENCE: job.fence,
  };
}

interface CommandOutput {
  readonly text: string;
  readonly isTooLarge: boolean;
}

/** Sends the payload, and reads output, errors and progress. The returned function waits for the rest of the output. */
function collect(child: Child, job: RunningJob, onError: (line: string) => void): () => Promise<CommandOutput> {
  const [input, output, errors, progress] = child.streams as unknown as [Writable, Readable, Readable, Readable];
  for (const stream of [input, output, errors, progress]) stream.on("error", () => undefined);
  input.end(`${JSON.stringify(job.payload ?? null)}\n`);
  const parts: Buffer[] = [];
  let bytes = 0;
  output.on("data", (part: Buffer) => {
    bytes += part.length;
    if (bytes <= outputMax) parts.push(part);
  });
  createInterface({ input: errors }).on("line", onError);
  createInterface({ input: progress }).on("line", (line) => {
    const report = progressLine(line);
    if (report !== undefined) job.progress(report.percent, report.message, report.checkpoint);
  });
  const closed = Promise.all([output, errors, progress].map((stream) => ended(stream)));
  return async () => {
    // A child in the background may keep the output open. It does not delay the result.
    await Promise.race([closed, pause(systemClock, outputEndMs, { keepAlive: false })]);
    return { text: Buffer.concat(parts).toString("utf8").trim(), isTooLarge: bytes > outputMax };
  };
}

function ended(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    stream.once("close", () => {
      resolve();
    });
  });
}

/** JSON, or the text as it is. */
function resultOf(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
