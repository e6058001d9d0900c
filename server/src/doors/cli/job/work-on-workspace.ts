import type { Client } from "@holdfast/sdk";
import { systemClock } from "../../../base/clock.ts";
import { runWorkers } from "../../../workers/run-workers.ts";
import { configOf } from "../args/config-options.ts";
import { numberOption, textOption } from "../args/option-values.ts";
import { storageRootsOf } from "../args/serve-options.ts";
import type { CommandArguments, Terminal } from "../command.ts";
import { defaultName } from "../agent/agent-note.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { listenForSignal } from "../terminal/until-signal.ts";

/** Whether the arguments ask for the worker of the workspace: its name, and no command. */
export function isWorkOnWorkspace({ positionals, child }: CommandArguments): boolean {
  return child === undefined && positionals.length === 1 && positionals[0] === "workspace";
}

/** Runs the jobs of the workspace until a signal. The running jobs then return to the queue. */
export async function workOnWorkspace(client: Client, args: CommandArguments, terminal: Terminal): Promise<ExitCode> {
  const { storageRoots: rootFolders = {} } = storageRootsOf(configOf(args, terminal).config);
  const listening = listenForSignal(systemClock);
  try {
    const { types, worker } = await runWorkers({
      ...{ client, rootFolders, slots: numberOption(args.values, "slots", 1) ?? 1 },
      name: textOption(args.values, "name") ?? defaultName(),
      report: (message) => {
        terminal.warn(`holdfast: ${message}`);
      },
    });
    terminal.warn(`holdfast: working on ${types.join(", ")}. Ctrl+C returns the running jobs to the queue.`);
    await listening.signalled;
    await worker.close();
    return exitCodes.done;
  } finally {
    listening.stop();
  }
}
