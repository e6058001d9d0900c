import { systemClock } from "../../../base/clock.ts";
import { numberOption } from "../args/option-values.ts";
import type { CliCommand } from "../command.ts";
import type { ExitCode } from "../exit-codes.ts";
import { localOption, serverCommand } from "../discovery/server-command.ts";
import type { CommandContext } from "../discovery/server-command.ts";
import { AgentNames } from "../terminal/agent-names.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { relativeTime } from "../terminal/relative-time.ts";
import { programArgument, programCall, programOperations } from "./program-calls.ts";

const limitDefault = 20;

export const programHistoryCommand: CliCommand = serverCommand({
  name: "program history",
  usage: "PROGRAM[/FUNCTION]",
  positionalsMin: 1,
  positionalsMax: 1,
  summary: "show the mutations of a program, or the versions of a function",
  details: [
    "Shows the accepted mutations of a program, newest first: position, time, author and changed items. With FUNCTION it",
    "shows the versions of that function. `holdfast program diff` compares two of them.",
    "",
    "  holdfast program history ledger",
    "  holdfast program history ledger/f1 --limit 5",
  ],
  options: {
    limit: { value: "N", summary: `maximum number of items (default: ${limitDefault})` },
    ...localOption,
  },
  operations: programOperations("programs.list-mutations", "programs.list-function-history"),
  execute(context) {
    const { program, item } = programArgument(context.positionals[0]);
    const limit = Math.min(numberOption(context.values, "limit", 1) ?? limitDefault, 1_000);
    return item === undefined
      ? showMutations(context, { program_id: program, limit })
      : showVersions(context, { program_id: program, function_id: item, limit });
  },
});

interface Author {
  readonly principal: string;
  readonly agent?: string;
}

async function showMutations(
  context: CommandContext,
  query: { readonly program_id: string; readonly limit: number },
): Promise<ExitCode> {
  const page = await programCall(context, "programs.list-mutations", query);
  const label = await authorLabels(
    context,
    page.items.map(({ by }) => by),
  );
  const nowMs = systemClock.wallMs();
  const lines = page.items.map(({ position, time, by, what, of, version, description, items }) => {
    const changes = items.map(({ item, change }) => `${item.slice(item.indexOf("/") + 1)} ${change}`).join(", ");
    const target = of === undefined ? "" : ` of ${of}`;
    const why = description === undefined ? "" : ` "${escapeControlChars(description)}"`;
    return `${String(position).padStart(8)}  ${relativeTime(time, nowMs)}: ${what}${target}${why}: ${changes} (version ${version}, by ${label(by)})`;
  });
  return context.show(page, () => (lines.length === 0 ? "Nothing was changed yet." : lines.join("\n")));
}

async function showVersions(
  context: CommandContext,
  query: { readonly program_id: string; readonly function_id: string; readonly limit: number },
): Promise<ExitCode> {
  const page = await programCall(context, "programs.list-function-history", query);
  const label = await authorLabels(
    context,
    page.items.map(({ changed_by: by }) => by),
  );
  const nowMs = systemClock.wallMs();
  const lines = page.items.map(({ version, hash, changed_at: at, changed_by: by, position }) => {
    const content = hash === null ? "removed" : `hash ${hash.slice(0, 12)}`;
    return `version ${version}, position ${position}, ${relativeTime(at, nowMs)}: ${content} (by ${label(by)})`;
  });
  return context.show(page, () => lines.join("\n"));
}

async function authorLabels(context: CommandContext, authors: readonly Author[]): Promise<(by: Author) => string> {
  const names = new AgentNames(context);
  await names.load(authors.flatMap(({ agent }) => (agent === undefined ? [] : [agent])));
  return ({ principal, agent }) => (agent === undefined ? escapeControlChars(principal) : names.label(agent));
}
