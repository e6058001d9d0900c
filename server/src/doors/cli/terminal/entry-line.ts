import { traceIdOf } from "@holdfast/sdk/trace-context";
import { agentLabel } from "./agent-label.ts";
import { escapeControlChars } from "./escape-control-chars.ts";
import { eventSentence } from "./event-sentence.ts";
import type { Entry } from "../../../assembly/data-folder.ts";

/** An entry as a sentence. `labelOf` names an agent. */
export function entryLine(entry: Entry, labelOf: (id: string) => string = (id) => agentLabel(id)): string {
  const { position, time, operation, outcome, events, principal, agent, trace, erased } = entry;
  const who = agent === undefined ? escapeControlChars(principal) : labelOf(agent);
  const said = events.map(({ type: name, subject, data }) => eventSentence({ name, subject, who, data, labelOf }));
  const refused = outcome.kind === "done" ? [] : [`${who} was refused ${operation} (${outcome.code})`];
  const sentences = [...refused, ...said];
  const text = sentences.length === 0 ? `${who} ran ${operation}` : sentences.join("; ");
  const traced = trace === undefined ? "" : `  [trace ${traceIdOf(trace)}]`;
  const erasedText = erased === undefined ? "" : `  [erased by entry ${erased}]`;
  return `${String(position).padStart(8)}  ${new Date(time).toISOString()}  ${text}${traced}${erasedText}`;
}

/** The names of the agents that these entries register, by id. */
export function labelsFrom(entries: Iterable<Entry>): (id: string) => string {
  const names = new Map<string, string>();
  for (const { events } of entries)
    for (const { type, subject, data } of events)
      if (type === "agent.registered" && typeof data["name"] === "string")
        names.set(subject.slice("agent/".length), data["name"]);
  return (id) => agentLabel(id, names.get(id));
}

/** An entry as JSON, with all its members. */
export function entryJson(entry: Entry): Readonly<Record<string, unknown>> {
  const { position, time, rules, grace, id, operation, principal, agent, key, trace, input, outcome, events, erased } =
    entry;
  return {
    event: "entry",
    position,
    time: new Date(time).toISOString(),
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
