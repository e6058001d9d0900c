import { traceIdOf } from "@holdfast/sdk/trace-context";
import type { Entry } from "../../../assembly/data-folder.ts";

/** An entry as one line of text. */
export function entryLine(entry: Entry): string {
  const { position, time, operation, outcome, events, principal, agent, trace, erased } = entry;
  const author = agent === undefined ? principal : `${principal} (${agent})`;
  const result = outcome.kind === "done" ? "done" : outcome.code;
  const written = events.map(({ type, subject }) => `${type} ${subject}`).join(", ");
  const traced = trace === undefined ? "" : `  [trace ${traceIdOf(trace)}]`;
  const erasedText = erased === undefined ? "" : `  [erased by entry ${erased}]`;
  const eventText = written === "" ? "" : `  ${written}`;
  return `${String(position).padStart(8)}  ${new Date(time).toISOString()}  ${author}  ${operation}  ${result}${eventText}${traced}${erasedText}`;
}

/** An entry as JSON, with all its members. */
export function entryJson(entry: Entry): Readonly<Record<string, unknown>> {
  const { position, time, rules, grace, id, operation, principal, agent, key, trace, input, outcome, events, erased } =
    entry;
  return {
    event: "entry",
    position,
    time,
    rules,
    grace,
    id,
    operation,
    principal,
    agent,
    key,
    trace,
    input,
    outcome,
    events,
    erased_by: erased,
  };
}
