/** A job for people: its state, its attempts, its locks, and its result or its error. */
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import type { Paint } from "../terminal/paint.ts";
import { relativeTime } from "../terminal/relative-time.ts";
import { jobNote } from "./job-line.ts";
import { hasEnded } from "./wire-job.ts";
import type { WireJob } from "./wire-job.ts";

interface DetailContext {
  readonly paint: Paint;
  readonly nowMs: number;
  readonly labelOf: (id: string) => string;
}

export function jobDetails(job: WireJob, context: DetailContext): string {
  const { paint, nowMs } = context;
  const { id, type, project, state, attempt, max_attempts: max, crashes = 0, error } = job;
  const { priority, submitted_at: submittedAt, ended_at: endedAt, lease_until: leaseUntil, locks = [] } = job;
  const counts = [
    `attempt ${attempt}${max === undefined ? "" : ` of ${max}`}`,
    ...(crashes === 0 ? [] : [`${crashes} ${crashes === 1 ? "worker" : "workers"} lost`]),
    ...(priority === undefined ? [] : [`priority ${priority}`]),
    ...(submittedAt === undefined ? [] : [`submitted ${relativeTime(submittedAt, nowMs)}`]),
    ...(endedAt === undefined ? [] : [`ended ${relativeTime(endedAt, nowMs)}`]),
  ];
  const rows: readonly (readonly [string, string | undefined])[] = [
    ["type", escapeControlChars(type)],
    ["project", project === "" ? undefined : escapeControlChars(project)],
    ["root", job.root],
    ["now", currentNote(job, context)],
    ["lease", leaseUntil === undefined ? undefined : `ends ${relativeTime(leaseUntil, nowMs)}`],
    ["locks", locks.length === 0 ? undefined : locks.map(lockText).join(", ")],
    ["fence", job.fence],
    ["payload", jsonText(job.payload)],
    ["checkpoint", jsonText(job.checkpoint)],
    ["result", jsonText(job.result)],
    ["error", error === undefined ? undefined : errorLines(error)],
  ];
  return [
    `${paint.strong(escapeControlChars(id))} is ${stateText(state, paint)} (${counts.join(", ")}).`,
    ...rows.flatMap(([name, text]) => (text === undefined ? [] : [`  ${name.padEnd(10)}  ${text}`])),
    ...nextSteps(job),
  ].join("\n");
}

/** The work of an open job, or its reason to wait. */
function currentNote(job: WireJob, { nowMs, labelOf }: DetailContext): string | undefined {
  if (hasEnded(job)) return undefined;
  const note = jobNote(job, nowMs, labelOf);
  return note === "" ? undefined : note;
}

function stateText(state: string, paint: Paint): string {
  if (state === "completed") return paint.good(state);
  return state === "failed" || state === "cancelled" ? paint.warning(state) : state;
}

function lockText({ path, mode }: { readonly path: string; readonly mode: string }): string {
  return `${escapeControlChars(path)} (${mode})`;
}

function jsonText(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : escapeControlChars(JSON.stringify(value));
}

/** The message may be the end of a log, so each of its lines has its own. */
function errorLines({ code, message }: NonNullable<WireJob["error"]>): string {
  const text = code === undefined ? message : `${code}: ${message}`;
  return text
    .split("\n")
    .map(escapeControlChars)
    .join(`\n${" ".repeat(14)}`);
}

function nextSteps({ id, state }: WireJob): readonly string[] {
  const name = escapeControlChars(id);
  if (state === "failed")
    return [`Run it again with \`holdfast jobs retry ${name}\`, or remove it with \`jobs discard\`.`];
  return [];
}
