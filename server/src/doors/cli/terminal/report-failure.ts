import { HoldfastError } from "@holdfast/sdk";
import { jsonLine } from "../../../base/json-line.ts";
import type { Given, Terminal } from "../command.ts";
import { UsageError } from "../command.ts";
import { codeOf, exitCodeOf, exitCodes } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { harmless } from "./harmless.ts";

/** What kept a command from being done, in words for people and with the facts for programs. */
export function failureOf(error: unknown): {
  readonly exit: ExitCode;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly words: readonly string[];
} {
  const exit = exitCodeOf(error);
  const message = error instanceof Error ? error.message : String(error);
  const stack = exit === exitCodes.defect && error instanceof Error ? [error.stack ?? ""] : [];
  const data = error instanceof HoldfastError ? { data: error.data } : {};
  const words = [harmless(message), ...changeWords(error), ...stack];
  return { exit, facts: { code: codeOf(error), message, exit, ...data }, words };
}

/** What somebody else changed meanwhile, a line for each place. */
function changeWords(error: unknown): readonly string[] {
  const changes = error instanceof HoldfastError ? error.data["changes"] : undefined;
  if (!Array.isArray(changes)) return [];
  return (changes as readonly Readonly<Record<string, unknown>>[]).map(({ pointer, before, after, yours }) => {
    const mine = yours === undefined ? "" : `, yours ${JSON.stringify(yours)}`;
    return harmless(`  ${String(pointer) || "/"}: ${JSON.stringify(before)} became ${JSON.stringify(after)}${mine}`);
  });
}

/** Runs a command to its end; what keeps it from that is said in a sentence, or as a line of JSON. */
export async function orSayWhyNot(
  { values }: Given,
  terminal: Terminal,
  work: () => Promise<ExitCode>,
): Promise<ExitCode> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { exit, facts, words } = failureOf(error);
    if (values["json"] === true) terminal.say(jsonLine({ event: "failed", ...facts }));
    else terminal.warn(`holdfast: ${words.join("\n")}`);
    return exit;
  }
}

/** How a command passes on what Holdfast reports while it works. */
export function warnOf(terminal: Terminal): (message: string, cause: unknown) => void {
  return (message, cause) => {
    const reason = cause instanceof Error && !message.includes(cause.message) ? `: ${cause.message}` : "";
    terminal.warn(`holdfast: ${message}${reason}`);
  };
}
