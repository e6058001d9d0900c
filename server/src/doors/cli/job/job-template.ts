/** The members of a job that a submission and a schedule have in common, as options of the command line. */
import { defined } from "@holdfast/sdk/base/defined";
import { integerArgument, numberOption, secondsOption, textOption } from "../args/option-values.ts";
import type { CommandArguments, CommandOption } from "../command.ts";

export const templateOptions: Readonly<Record<string, CommandOption>> = {
  project: { value: "PROJECT", summary: "the unit of fair sharing, with a cap of its own" },
  priority: { value: "N", summary: "0 to 100, higher runs first inside its project (default: 50)" },
  lock: { value: "PATHS", summary: "locks that it needs, separated by commas" },
  unique: { value: "KEY", summary: "submit nothing if a job of this type with this key has not ended" },
  attempts: { value: "N", summary: "maximum failed attempts (default: 5)" },
  timeout: { value: "TIME", summary: "maximum duration of an attempt" },
  cost: { value: "N", summary: "the share of its project that a start uses, 1 to 1,000 (default: 1)" },
  root: { value: "ROOT", summary: "the storage root that it needs: only workers of TYPE@ROOT get it" },
};

export function jobTemplateOf({ values }: Pick<CommandArguments, "values">): object {
  const unique = textOption(values, "unique");
  const priority = textOption(values, "priority");
  return defined({
    project: textOption(values, "project"),
    priority: priority === undefined ? undefined : integerArgument(priority, "--priority", 0),
    locks: commaList(textOption(values, "lock")),
    unique: unique === undefined ? undefined : { key: unique },
    max_attempts: numberOption(values, "attempts", 1),
    timeout_seconds: secondsOption(values, "timeout", 1),
    cost: numberOption(values, "cost", 1),
    root: textOption(values, "root"),
  });
}

/** The parts of a list that is separated by commas. */
export function commaList(text: string | undefined): readonly string[] | undefined {
  const parts = text?.split(",").map((part) => part.trim());
  return parts?.filter((part) => part !== "");
}
