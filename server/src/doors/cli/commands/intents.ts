import { defined } from "@holdfast/sdk/base/defined";
import { intentStatuses } from "@holdfast/sdk/contract/packs/intents/intent-statuses";
import { limitDefault, limitOption, moreItemsHint, readPages } from "../discovery/read-pages.ts";
import { choiceOption, numberOption, textOption } from "../args/option-values.ts";
import type { CliCommand } from "../command.ts";
import type { ExitCode } from "../exit-codes.ts";
import { serverCommand } from "../discovery/server-command.ts";
import type { CommandContext } from "../discovery/server-command.ts";
import { showOnChange } from "../discovery/show-on-change.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { table } from "../terminal/table.ts";

export const intentsCommand: CliCommand = serverCommand({
  name: "intents",
  positionalsMax: 0,
  summary: "show the intents, by status or by the state of their run",
  details: [
    "Shows each intent with its status and its open run. `holdfast intent ID` shows one of them with its steps.",
    "",
    "  holdfast intents",
    "  holdfast intents --status processed",
    "  holdfast intents --run interrupted",
    "  holdfast intents --pipeline orders --watch",
  ],
  options: {
    status: { value: "STATUS", summary: "only received, normalized, processed, corrected, completed or failed ones" },
    run: { value: "STATE", summary: "only intents whose run is running, interrupted or paused" },
    pipeline: { value: "NAME", summary: "only intents with an open run of this pipeline" },
    watch: { summary: "show the intents again after each change, until it is stopped with Ctrl+C" },
    limit: limitOption,
  },
  operations: ["intents.list"],
  execute: (context) =>
    context.values["watch"] === true
      ? showOnChange(context, {
          isAbout: (subject) => subject.startsWith("intent/"),
          show: async () => {
            await showIntents(context);
            return true;
          },
        })
      : showIntents(context),
});

interface ListedIntent {
  readonly id: string;
  readonly status: string;
  readonly run?: string;
  readonly pipeline?: string;
}

interface IntentPage {
  readonly items: readonly ListedIntent[];
  readonly next: string | null;
}

async function showIntents({ run, values, terminal, show }: CommandContext): Promise<ExitCode> {
  const filters = defined({
    status: choiceOption(values, "status", intentStatuses),
    run: choiceOption(values, "run", ["running", "interrupted", "paused"]),
    pipeline: textOption(values, "pipeline"),
  });
  const limit = numberOption(values, "limit", 1) ?? limitDefault;
  const page = await readPages(
    limit,
    async (part) => (await run("intents.list", { ...filters, ...part })) as IntentPage,
  );
  const rows = page.items.map(({ id, status, run: state = "-", pipeline = "-" }) => [
    escapeControlChars(id),
    status,
    state === "interrupted" ? terminal.paint.warning(state) : state,
    escapeControlChars(pipeline),
  ]);
  const none = Object.keys(filters).length === 0 ? "There are no intents." : "No intent matches.";
  return show(page, () =>
    rows.length === 0
      ? none
      : table(["INTENT", "STATUS", "RUN", "PIPELINE"], rows, terminal.paint) + moreItemsHint(page.next),
  );
}
