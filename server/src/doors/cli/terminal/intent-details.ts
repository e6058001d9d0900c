/** An intent for people: its status, its newest corrections and the steps of its run. */
import { escapeControlChars } from "./escape-control-chars.ts";
import { holderLine } from "./lock-table.ts";
import type { WireLockStatus } from "./lock-table.ts";
import type { Paint } from "./paint.ts";
import { duration, relativeTime } from "./relative-time.ts";
import { table } from "./table.ts";

interface WireStep {
  readonly state: string;
  readonly tries: number;
  readonly crashes: number;
  readonly started_at: string;
  readonly ended_at?: string;
  readonly error?: { readonly code: string; readonly message: string };
  readonly note?: string;
}

interface WireRun {
  readonly number: number;
  readonly pipeline: string;
  readonly mode: string;
  readonly state: string;
  readonly bridges: readonly { readonly name: string }[];
  readonly left?: string;
  readonly pause?: string;
  readonly takeovers: number;
  readonly errors: number;
  readonly stop?: { readonly by: string; readonly reason: string };
  readonly started_at: string;
  readonly steps: Readonly<Record<string, WireStep>>;
}

interface WireCorrection {
  readonly number: number;
  readonly applied_at: string;
  readonly source?: string;
  readonly reason?: string;
  readonly diff?: unknown;
}

/** An intent as the server sends it. */
export interface WireIntent {
  readonly id: string;
  readonly version: number;
  readonly status: string;
  readonly payload: unknown;
  readonly updated_at: string;
  readonly correction_count: number;
  readonly correction_history: readonly WireCorrection[];
  readonly run?: WireRun;
}

interface DetailContext {
  readonly holders: WireLockStatus["holders"];
  readonly paint: Paint;
  readonly nowMs: number;
}

export function intentDetails(intent: WireIntent, context: DetailContext): string {
  const { id, status, version, updated_at, payload, correction_count: count, run } = intent;
  const { paint, nowMs } = context;
  const corrections = intent.correction_history.map(
    ({ number, applied_at, source = "?", reason = "erased", diff }) =>
      `  ${number}. ${escapeControlChars(source)}, ${relativeTime(applied_at, nowMs)}: ${escapeControlChars(reason)}` +
      (diff === undefined ? "" : ` ${escapeControlChars(JSON.stringify(diff))}`),
  );
  return [
    `${paint.strong(escapeControlChars(id))} is ${statusText(status, paint)} (version ${version}, changed ${relativeTime(updated_at, nowMs)}).`,
    `  payload  ${escapeControlChars(JSON.stringify(payload))}`,
    ...(count === 0 ? [] : ["", paint.strong(`Corrections (${count}):`), ...corrections]),
    ...(run === undefined ? [] : ["", ...runLines(id, run, context)]),
  ].join("\n");
}

function statusText(status: string, paint: Paint): string {
  if (status === "completed") return paint.good(status);
  return status === "failed" ? paint.warning(status) : status;
}

function runLines(id: string, run: WireRun, { holders, paint, nowMs }: DetailContext): readonly string[] {
  const { number, pipeline, mode, state, errors, takeovers, stop, pause, left, started_at } = run;
  const counts = [
    ...(takeovers === 0 ? [] : [`${takeovers} ${takeovers === 1 ? "takeover" : "takeovers"}`]),
    ...(errors === 0 ? [] : [`${errors} ${errors === 1 ? "error" : "errors"}`]),
  ];
  const details = [`mode ${mode}`, `started ${relativeTime(started_at, nowMs)}`, ...counts].join(", ");
  const rows = run.bridges.map(({ name }) => stepCells(name, run.steps[name], nowMs));
  return [
    `${paint.strong(`Run ${number}`)} of ${escapeControlChars(pipeline)} is ${state} (${details}).`,
    ...holders.map((holder) => `  ${holderLine(holder, nowMs)}`),
    ...(state === "interrupted"
      ? [`  its worker is gone (${left ?? "?"}); the next worker of ${escapeControlChars(pipeline)} resumes it`]
      : []),
    ...(state === "paused"
      ? [`  paused: ${escapeControlChars(pause ?? "")}; run the pipeline again to resume it`]
      : []),
    ...(stop === undefined
      ? []
      : [`  stop requested by ${escapeControlChars(stop.by)}: ${escapeControlChars(stop.reason)}`]),
    ...(stop !== undefined && state === "running"
      ? [`  if its worker does not react: holdfast force-release intent/${escapeControlChars(id)} --reason "…"`]
      : []),
    table(["  STEP", "STATE", "TRIES", "CRASHES", "DURATION", "ERROR", "NOTE"], rows, paint),
  ];
}

function stepCells(name: string, step: WireStep | undefined, nowMs: number): readonly string[] {
  if (step === undefined) return [`  ${name}`, "-"];
  const { state, tries, crashes, started_at, ended_at, error, note } = step;
  const endMs = ended_at === undefined ? nowMs : Date.parse(ended_at);
  return [
    `  ${name}`,
    state,
    String(tries),
    String(crashes),
    duration(Math.max(0, endMs - Date.parse(started_at))),
    error === undefined ? "-" : escapeControlChars(`${error.code}: ${error.message}`),
    note === undefined ? "-" : escapeControlChars(note),
  ];
}
