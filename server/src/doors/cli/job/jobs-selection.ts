/** The jobs that a command acts on: one by its id, or all of a type. */
import { defined } from "@holdfast/sdk/base/defined";
import { textOption } from "../args/option-values.ts";
import { UsageError } from "../args/usage-error.ts";
import type { CommandArguments, CommandOption } from "../command.ts";
import type { CommandContext } from "../discovery/server-command.ts";

export const selectionOptions: Readonly<Record<string, CommandOption>> = {
  type: { value: "TYPE", summary: "all jobs of this type instead of one" },
  project: { value: "PROJECT", summary: "with --type: only jobs of this project" },
};

interface SelectionAnswer {
  readonly count: number;
  readonly next: string | null;
}

/** The id or the filters of the command line. */
export function jobsSelection({ positionals, values }: CommandArguments): Readonly<Record<string, string>> {
  const [id] = positionals;
  const type = textOption(values, "type");
  const project = textOption(values, "project");
  if ((id === undefined) === (type === undefined)) throw new UsageError("give either the ID of a job or --type");
  if (id !== undefined && project !== undefined) throw new UsageError("--project needs --type");
  return defined({ id, type, project });
}

/** Repeats the operation until every job is examined: a request acts on up to 1,000 jobs. */
export async function actOnSelection(
  { run }: Pick<CommandContext, "run">,
  operation: string,
  input: object,
): Promise<number> {
  let total = 0;
  let after: string | null | undefined;
  do {
    const { count, next } = (await run(operation, defined({ ...input, after }))) as SelectionAnswer;
    total += count;
    after = next;
  } while (after !== null);
  return total;
}

export function jobCount(count: number): string {
  return count === 1 ? "1 job" : `${count} jobs`;
}
