import type { Client } from "@holdfast/sdk";
import type { Address } from "@holdfast/sdk/address";
import { systemClock } from "../../../base/clock.ts";
import { jsonLine } from "../../../base/json-line.ts";
import { runWorkers } from "../../../workers/run-workers.ts";
import { configOf } from "../args/config-options.ts";
import { textOption } from "../args/option-values.ts";
import { storageRootsOf } from "../args/serve-options.ts";
import type { CommandArguments, Terminal } from "../command.ts";
import { defaultName } from "../agent/agent-note.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { workerSlots } from "./worker-slots.ts";
import { listenForSignal } from "../terminal/until-signal.ts";

/** Whether the arguments ask for the worker of the workspace: its name, and no command. */
export function isWorkOnWorkspace({ positionals, child }: CommandArguments): boolean {
  return child === undefined && positionals.length === 1 && positionals[0] === "workspace";
}

function workingLine(types: readonly string[], roots: readonly string[]): string {
  const where = roots.length === 0 ? "" : ` in ${roots.join(", ")}`;
  return `holdfast: working on ${types.join(", ")}${where}. Ctrl+C returns the running jobs to the queue.`;
}

interface WorkspaceServer {
  readonly client: Client;
  readonly addresses: readonly Address[];
}

/** Runs the jobs of the workspace until a signal. The running jobs then return to the queue. */
export async function workOnWorkspace(
  { client, addresses }: WorkspaceServer,
  args: CommandArguments,
  terminal: Terminal,
): Promise<ExitCode> {
  const slots = workerSlots(args);
  const { storageRoots: rootFolders = {} } = storageRootsOf(configOf(args, terminal).config);
  // The server that started this process was killed. Its jobs are lost by their lease.
  process.once("disconnect", () => process.exit(exitCodes.done));
  const listening = listenForSignal(systemClock);
  try {
    await using workers = await runWorkers({
      ...{ client, rootFolders, slots, clock: systemClock },
      addresses: addresses.map(({ url }) => url.href),
      name: textOption(args.values, "name") ?? defaultName(),
      report: (message) => {
        terminal.warn(`holdfast: ${message}`);
      },
    });
    const { types, roots } = workers;
    if (args.values["json"] === true) terminal.print(jsonLine({ event: "working", types, roots, slots }));
    else terminal.warn(workingLine(types, roots));
    process.send?.({ event: "working" });
    await listening.signalled;
    return exitCodes.done;
  } finally {
    listening.stop();
  }
}
