import { systemClock } from "../../../base/clock.ts";
import { numberOption } from "../args/option-values.ts";
import type { CliCommand } from "../command.ts";
import { limitDefault, limitOption, moreItemsHint, readPages } from "../discovery/read-pages.ts";
import { serverCommand } from "../discovery/server-command.ts";
import { AgentNames } from "../terminal/agent-names.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { relativeTime } from "../terminal/relative-time.ts";
import { table } from "../terminal/table.ts";

export const jobsWorkersCommand: CliCommand = serverCommand({
  name: "jobs workers",
  positionalsMax: 0,
  summary: "show the workers with their types, slots and running jobs",
  details: [
    "Shows each worker that offers slots or runs jobs. A drained worker has 0 slots until its jobs have ended.",
    "",
    "  holdfast jobs workers",
  ],
  options: { limit: limitOption },
  operations: ["jobs.list-workers"],
  async execute(context) {
    const { run, values, terminal, show } = context;
    const limit = numberOption(values, "limit", 1) ?? limitDefault;
    const page = await readPages(limit, async (part) => (await run("jobs.list-workers", part)) as WorkerPage);
    const names = new AgentNames(context);
    await names.load(page.items.map(({ worker }) => worker));
    const nowMs = systemClock.wallMs();
    const rows = page.items.map(({ worker, types, slots, running, until }) => [
      names.label(worker),
      `${running} of ${slots}`,
      types.length === 0 ? "-" : relativeTime(until, nowMs),
      types.length === 0 ? "(offers none)" : types.map(escapeControlChars).join(", "),
    ]);
    return show(page, () =>
      rows.length === 0
        ? "There are no workers. Start one: holdfast work TYPE -- COMMAND"
        : table(["WORKER", "RUNS", "OFFER ENDS", "TYPES"], rows, terminal.paint) + moreItemsHint(page.next),
    );
  },
});

interface WorkerPage {
  readonly items: readonly {
    readonly worker: string;
    readonly types: readonly string[];
    readonly slots: number;
    readonly running: number;
    readonly until: string;
  }[];
  readonly next: string | null;
}
