import { jsonLine } from "../../../base/json-line.ts";
import type { Terminal } from "../command.ts";

/** An event of the server, as lines for people and as JSON for programs. */
export interface UpEvent {
  readonly event: "up" | "problem" | "stopping" | "stopped" | "failed";
  readonly json: Readonly<Record<string, unknown>>;
  readonly lines: readonly string[];
}

/** Prints events as text, or as lines of JSON. */
export function eventPrinter(terminal: Terminal, isJson: boolean): (event: UpEvent) => void {
  return isJson ? printJson(terminal) : printText(terminal);
}

function printText(terminal: Terminal): (event: UpEvent) => void {
  return ({ event, lines }) => {
    if (event === "problem" || event === "failed") terminal.warn(`holdfast: ${lines.join("\n")}`);
    else terminal.print(lines.join("\n"));
  };
}

function printJson(terminal: Terminal): (event: UpEvent) => void {
  return ({ event, json }) => {
    terminal.print(jsonLine({ event, ...json }));
  };
}
