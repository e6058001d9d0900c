import { numberOption } from "../args/option-values.ts";
import { UsageError } from "../args/usage-error.ts";
import type { CommandArguments } from "../command.ts";

/** Maximum slots of an offer in the contract. */
const slotsMax = 1_000;

export function workerSlots({ values }: Pick<CommandArguments, "values">): number {
  const slots = numberOption(values, "slots", 1) ?? 1;
  if (slots > slotsMax) throw new UsageError(`--slots must be at most ${slotsMax}, not ${slots}`);
  return slots;
}
