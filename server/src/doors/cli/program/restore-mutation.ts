import { HoldfastError } from "@holdfast/sdk/holdfast-error";
import type { ExitCode } from "../exit-codes.ts";
import type { CommandContext } from "../discovery/server-command.ts";
import { registerNamed } from "../agent/register-named.ts";
import { mutationText } from "./mutation-text.ts";
import { withNeededLocks } from "./needed-locks.ts";
import { programCall, wholeProgramArgument } from "./program-calls.ts";

/** Undoes or redoes the newest mutation of the agent, on the hashes that it left. */
export async function restoreMutation(context: CommandContext, side: "undo" | "redo"): Promise<ExitCode> {
  const program_id = wholeProgramArgument(context.positionals[0]);
  const agent = await registerNamed(context, undefined);
  const { [side]: newest } = await programCall(context, "programs.get-undo", { program_id }, { agent });
  if (newest === null)
    throw new HoldfastError(`programs.${side}`, "programs.nothing_to_undo", { data: { side, newest: null } });
  const expected_hashes = Object.fromEntries(
    newest.items.flatMap(({ item, current_hash: hash }) =>
      hash === null || item.startsWith("module/") ? [] : [[item.slice(item.indexOf("/") + 1), hash]],
    ),
  );
  const input = { program_id, mutation: newest.mutation, expected_hashes };
  const accepted = await withNeededLocks(context, side, (caller) =>
    programCall(context, `programs.${side}`, input, { agent: caller }),
  );
  return context.show(accepted, () => mutationText(accepted));
}
