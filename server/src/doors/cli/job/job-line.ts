/** A job in one line: for lists, for logs, and as a bar in a terminal. */
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { duration, relativeTime } from "../terminal/relative-time.ts";
import type { WireJob } from "./wire-job.ts";

/** Characters of a bar. */
const barWidth = 24;

/** `[######------------------]  25 %`. */
function progressBar(percent: number): string {
  const filled = Math.floor((barWidth * percent) / 100);
  return `[${"#".repeat(filled)}${"-".repeat(barWidth - filled)}] ${String(Math.floor(percent)).padStart(3)} %`;
}

/** The note of a job in a list: progress, error, time or locks, by its state. */
export function jobNote(job: WireJob, nowMs: number, labelOf: (id: string) => string): string {
  const { state, waits_for: waitsFor, locks = [] } = job;
  const failure = errorText(job.error);
  const when = timeText(job, nowMs);
  switch (state) {
    case "running":
      return runningParts(job, labelOf).join(", ");
    case "failed":
      return failure;
    case "scheduled":
      return failure === "" ? when : `retry ${when} after ${failure}`;
    case "waiting":
      return `waits for ${waitsFor ?? "?"} ${waitsFor === 1 ? "job" : "jobs"}`;
    case "locking":
      return `waits for ${locks.map(({ path }) => escapeControlChars(path)).join(", ")}`;
    default:
      return failure === "" ? when : `again after ${failure}`;
  }
}

/** The time of the next run, or of the end. */
function timeText({ run_at: runAt, ended_at: endedAt }: WireJob, nowMs: number): string {
  if (runAt !== undefined) return relativeTime(runAt, nowMs);
  return endedAt === undefined ? "" : `ended ${relativeTime(endedAt, nowMs)}`;
}

function runningParts(job: WireJob, labelOf: (id: string) => string): readonly string[] {
  const { percent, message, worker, cancel_requested: cancel } = job;
  return [
    ...(percent === undefined ? [] : [`${Math.floor(percent)} %`]),
    ...(message === undefined ? [] : [escapeControlChars(message)]),
    ...(worker === undefined ? [] : [`by ${labelOf(worker)}`]),
    ...(cancel === undefined ? [] : [`must end: ${escapeControlChars(cancel)}`]),
  ];
}

function errorText(error: WireJob["error"]): string {
  if (error === undefined) return "";
  const { code, message } = error;
  return escapeControlChars(code === undefined ? message : `${code}: ${message}`).split("\\x0a")[0] ?? "";
}

/** One line of a log about a job that is followed. */
export function jobLine(job: WireJob, labelOf: (id: string) => string): string {
  const { id, state, attempt, error } = job;
  const parts = [
    ...(state === "running" ? [`attempt ${attempt}`] : []),
    ...runningParts(job, labelOf),
    ...(error === undefined || state === "running" ? [] : [errorText(error)]),
  ];
  return `${escapeControlChars(id)} ${state}${parts.length === 0 ? "" : `: ${parts.join(", ")}`}`;
}

/** The line that a terminal overwrites while a job is followed. */
export function drawnLine(job: WireJob, nowMs: number): string {
  const { id, state, percent = 0, message = "", started_at: startedAt } = job;
  if (state !== "running") return `${escapeControlChars(id)} ${state}`;
  const age = startedAt === undefined ? "" : ` ${duration(nowMs - Date.parse(startedAt))}`;
  return `${escapeControlChars(id)} ${progressBar(percent)}${age}  ${escapeControlChars(message)}`.trimEnd();
}
