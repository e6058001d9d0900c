import { defined } from "@holdfast/sdk/base/defined";
import { textOption } from "../args/option-values.ts";
import { UsageError } from "../args/usage-error.ts";
import type { CliCommand, CommandArguments, CommandOption } from "../command.ts";
import { serverCommand } from "../discovery/server-command.ts";
import type { CommandContext } from "../discovery/server-command.ts";
import { showOnChange } from "../discovery/show-on-change.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { jobCount } from "./jobs-selection.ts";

export const pauseOptions: Readonly<Record<string, CommandOption>> = {
  type: { value: "TYPE", summary: "the type" },
  project: { value: "PROJECT", summary: "the project, instead of a type" },
};

export const jobsPauseCommand: CliCommand = serverCommand({
  name: "jobs pause",
  positionalsMax: 0,
  summary: "start no more jobs of a type or of a project",
  details: [
    "Running jobs continue, and new jobs can be submitted. With --wait the command ends when no job of the type or project",
    "runs: that is a drain. It needs the operator's token.",
    "",
    '  holdfast jobs pause --type mail.send --reason "the mail server moves" --wait',
    "  holdfast jobs resume --type mail.send",
  ],
  options: {
    ...pauseOptions,
    reason: { value: "TEXT", summary: "the reason, which is stored in the audit trail" },
    wait: { summary: "wait until the running jobs have ended" },
  },
  operations: ["jobs.pause", "jobs.list"],
  isForOperators: () => true,
  async execute(context) {
    const { run, values, terminal, show } = context;
    const target = pauseTargetOf(context);
    await run("jobs.pause", { ...target, ...defined({ reason: textOption(values, "reason") }) });
    const name = targetName(target);
    if (values["wait"] !== true)
      return show({ ...target, paused: true }, () => `No more jobs of ${name} start until \`holdfast jobs resume\`.`);
    return showOnChange(
      { ...context, terminal: { ...terminal, draw: undefined } },
      {
        isAbout: (subject) => subject.startsWith("job/"),
        show: async () => {
          const left = await runningCount(context, target);
          show({ ...target, paused: true, running: left }, () =>
            left === 0 ? `No job of ${name} runs, and none starts.` : `${name} is paused: ${jobCount(left)} still run.`,
          );
          return left > 0;
        },
      },
    );
  },
});

/** The type or the project of the command line. */
export function pauseTargetOf({ values }: CommandArguments): PauseTarget {
  const type = textOption(values, "type");
  const project = textOption(values, "project");
  if ((type === undefined) === (project === undefined)) throw new UsageError("give either --type or --project");
  return defined({ type, project });
}

interface PauseTarget {
  readonly type?: string;
  readonly project?: string;
}

export function targetName({ type, project }: PauseTarget): string {
  return type === undefined ? `project ${escapeControlChars(project ?? "")}` : `type ${escapeControlChars(type)}`;
}

/** Maximum running jobs that are counted, which is more than the default of max_global_jobs. */
const countedMax = 1_000;

async function runningCount({ run }: CommandContext, target: PauseTarget): Promise<number> {
  const page = await run("jobs.list", { state: "running", ...target, limit: countedMax });
  return (page as { readonly items: readonly unknown[] }).items.length;
}
