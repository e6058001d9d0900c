import type { ParseState } from "./parse-state.ts";

/** The notes above a statement, one line each. Null without a note. */
export function parseNotes(state: ParseState): string | null {
  const lines: string[] = [];
  while (state.token.kind === "note") lines.push(state.advance().text);
  return lines.length === 0 ? null : lines.join("\n");
}
