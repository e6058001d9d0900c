import { defined } from "@holdfast/sdk/base/defined";
import type { WatchedEvent } from "@holdfast/sdk";
import { systemClock } from "../../../base/clock.ts";
import { jsonLine } from "../../../base/json-line.ts";
import type { CliCommand, CommandArguments } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { numberOption, textOption } from "../args/option-values.ts";
import { serverCommand } from "../discovery/server-command.ts";
import type { CommandContext } from "../discovery/server-command.ts";
import { AgentNames } from "../terminal/agent-names.ts";
import { eventSentence } from "../terminal/event-sentence.ts";
import { listenForSignal } from "../terminal/until-signal.ts";

export const watchCommand: CliCommand = serverCommand({
  name: "watch",
  positionalsMax: 0,
  summary: "show new events until it is stopped",
  details: [
    "Shows each new durable event, or each event after a cursor. It misses and repeats no event, even if it reconnects.",
    "Each event has a cursor. Pass it to --after to continue with the next event at any later time.",
    "",
    "  holdfast watch",
    "  holdfast watch --subject lock/repo/ --json | jq .data.owner_id",
    "  holdfast watch --event evt.lock.acquired,evt.lock.released --limit 10",
    "  holdfast watch --after 1.1042",
  ],
  options: {
    event: { value: "NAMES", summary: "only events with these names, separated by commas" },
    subject: {
      value: "SUBJECT",
      summary: "only events about this subject; with a slash at the end, about all below it",
    },
    owner: { value: "ID", summary: "only events about this agent or owner" },
    after: { value: "CURSOR", summary: "start after this event (default: new events only); 1.0 is the beginning" },
    limit: { value: "N", summary: "stop after N events" },
  },
  execute: watchEvents,
});

async function watchEvents(context: CommandContext): Promise<ExitCode> {
  const { terminal, values, isJson } = context;
  const limit = numberOption(values, "limit", 1) ?? Infinity;
  await using client = await context.connect();
  const after = textOption(values, "after") ?? (await client.cursor());
  const names = new AgentNames(context);
  const listening = listenForSignal(systemClock);
  const stopped = listening.signalled.then(() => undefined);
  const events = client.watch({ ...filterOf(context), after });
  if (!isJson) terminal.warn(`watching ${context.server.url} after ${escapeControlChars(after)}; stop with Ctrl+C.`);
  try {
    for (let count = 0; count < limit; count += 1) {
      const next = await Promise.race([stopped, events.next()]);
      if (next === undefined || next.done === true) break;
      terminal.print(isJson ? jsonLine(next.value) : await eventLine(next.value, names, values["verbose"] === true));
    }
    return exitCodes.done;
  } finally {
    listening.stop();
    void events.return?.();
  }
}

function filterOf({ values }: CommandArguments): { names?: readonly string[]; subject?: string; owner?: string } {
  const names = textOption(values, "event")?.split(",");
  const subject = textOption(values, "subject");
  const owner = textOption(values, "owner");
  return defined({ names, subject, owner });
}

/** `1.204  14:05:10  ann (28a0) acquired repo/x`. With --verbose the data follows as JSON. */
async function eventLine(event: WatchedEvent, names: AgentNames, isWhole: boolean): Promise<string> {
  const { cursor, time, name, subject, by } = event;
  const data = event.data as Readonly<Record<string, unknown>>;
  const agent = subject.startsWith("agent/") ? subject.slice("agent/".length) : "";
  await names.load([by.agent ?? "", typeof data["owner_id"] === "string" ? data["owner_id"] : "", agent]);
  const who = by.agent === undefined ? escapeControlChars(by.principal) : names.label(by.agent);
  const sentence = eventSentence({ name, subject, who, data, labelOf: (id) => names.label(id) });
  const shown = isWhole ? [name, escapeControlChars(JSON.stringify(data))] : [];
  return [cursor.padEnd(8), new Date(time).toISOString(), sentence, ...shown].join("  ");
}
