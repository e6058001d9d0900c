import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import type { Paint } from "../terminal/paint.ts";
import { relativeTime } from "../terminal/relative-time.ts";
import type { WireSchedule } from "./wire-schedule.ts";

/** A schedule with all of its members, for a reader. */
export function scheduleDetails(schedule: WireSchedule, paint: Paint, nowMs: number): string {
  const { id, cron, time_zone: zone, overlap, catch_up: catchUp, next_at: next, last_at: last, job } = schedule;
  const at = (time: string): string => `${time} (${relativeTime(time, nowMs)})`;
  const lines: readonly (readonly [string, string | undefined])[] = [
    ["times", escapeControlChars(`${cron} in ${zone}`)],
    ["next", next === null ? paint.warning("paused") : at(next)],
    ["last", last === undefined ? undefined : at(last)],
    ["last job", escaped(schedule.last_job)],
    ["left out", escaped(schedule.last_skipped)],
    ["overlap", overlap === "skip" ? "a run is left out while the one before has not ended" : "runs queue"],
    ["catch up", catchUp === "last" ? "the last missed run is submitted once" : "missed runs are left out"],
    ["job", escapeControlChars(JSON.stringify(job))],
  ];
  const shown = lines.flatMap(([name, text]) => (text === undefined ? [] : [`  ${name.padEnd(10)}  ${text}`]));
  return [escapeControlChars(id), ...shown].join("\n");
}

function escaped(text: string | undefined): string | undefined {
  return text === undefined ? undefined : escapeControlChars(text);
}
