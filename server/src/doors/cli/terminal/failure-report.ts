import { problemShape } from "@holdfast/sdk/data/operation-data";
import { HoldfastError } from "@holdfast/sdk/holdfast-error";
import { jsonLine } from "../../../base/json-line.ts";
import type { CommandArguments, Terminal } from "../command.ts";
import { UsageError } from "../args/usage-error.ts";
import { failureCodeOf, exitCodeOf, exitCodes } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { escapeControlChars } from "./escape-control-chars.ts";
import { conflictLines, findingLines } from "./finding-lines.ts";

/** The failure of a command, as lines for people and as JSON for programs. */
export function failureReport(error: unknown): {
  readonly exit: ExitCode;
  readonly json: Readonly<Record<string, unknown>>;
  readonly lines: readonly string[];
} {
  const exit = exitCodeOf(error);
  const message = error instanceof Error ? error.message : String(error);
  const stack = exit === exitCodes.defect && error instanceof Error ? [error.stack ?? ""] : [];
  const details = error instanceof HoldfastError ? wireData(error) : {};
  const data = error instanceof HoldfastError ? { data: details } : {};
  const lines = [
    escapeControlChars(message),
    ...questionLines(details),
    ...changeLines(details["changes"]),
    ...findingLines(details["errors"]),
    ...conflictLines(details["conflicts"]),
    ...stack,
  ];
  return { exit, json: { code: failureCodeOf(error), message, exit, ...data }, lines };
}

/** The data with the members of the wire, as every JSON output of this program has them. */
function wireData({ code, data, isWire }: HoldfastError): Readonly<Record<string, unknown>> {
  const { mapper, shape } = problemShape(code);
  return isWire ? data : (mapper.toWire(data, shape, []) as Readonly<Record<string, unknown>>);
}

/** The question that a person must answer, and the input to send for each answer. */
function questionLines({ question, choices }: Readonly<Record<string, unknown>>): readonly string[] {
  if (typeof question !== "string") return [];
  const answers = Array.isArray(choices) ? choices.map((choice) => `  choice: ${JSON.stringify(choice)}`) : [];
  return [`  question: ${question}`, ...answers].map(escapeControlChars);
}

/** The changes by other callers that caused a conflict, one line per pointer. */
function changeLines(changes: unknown): readonly string[] {
  if (!Array.isArray(changes)) return [];
  return (changes as readonly Readonly<Record<string, unknown>>[]).map(({ pointer, before, after, yours }) => {
    const own = yours === undefined ? "" : `, yours ${JSON.stringify(yours)}`;
    return escapeControlChars(
      `  ${String(pointer) || "/"}: ${JSON.stringify(before)} became ${JSON.stringify(after)}${own}`,
    );
  });
}

/** Runs a command. If it throws, it prints the failure as text or as a line of JSON. */
export async function withFailureReport(
  { values }: CommandArguments,
  terminal: Terminal,
  work: () => Promise<ExitCode>,
): Promise<ExitCode> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { exit, json, lines } = failureReport(error);
    if (values["json"] === true) terminal.print(jsonLine({ event: "failed", ...json }));
    else terminal.warn(`holdfast: ${lines.join("\n")}`);
    return exit;
  }
}

/** Prints the warnings that Holdfast reports while a command runs. */
export function warningPrinter(terminal: Terminal): (message: string, cause: unknown) => void {
  return (message, cause) => {
    const reason = cause instanceof Error && !message.includes(cause.message) ? `: ${cause.message}` : "";
    terminal.warn(`holdfast: ${message}${reason}`);
  };
}
