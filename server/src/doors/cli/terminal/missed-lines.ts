import type { WireOutput } from "@holdfast/sdk";
import { escapeControlChars } from "./escape-control-chars.ts";
import { relativeTime } from "./relative-time.ts";

/** The grants that an agent did not accept in time. Without these lines it could not know that it was its turn. */
export function missedLines(missed: WireOutput<"who-am-i">["missed"] = [], nowMs: number): readonly string[] {
  return missed.map(
    ({ path, ended_at: endedAt }) =>
      `missed ${escapeControlChars(path)}: it was granted while no command waited, and the grant ended ` +
      relativeTime(endedAt, nowMs),
  );
}
