import { systemClock } from "../../../base/clock.ts";
import type { CliCommand } from "../command.ts";
import { serverCommand } from "../discovery/server-command.ts";
import type { CommandContext } from "../discovery/server-command.ts";
import { showOnChange } from "../discovery/show-on-change.ts";
import { exitCodes } from "../exit-codes.ts";
import { intentDetails } from "../terminal/intent-details.ts";
import type { WireIntent } from "../terminal/intent-details.ts";
import type { WireLockStatus } from "../terminal/lock-table.ts";

export const intentCommand: CliCommand = serverCommand({
  name: "intent",
  usage: "ID",
  positionalsMin: 1,
  positionalsMax: 1,
  summary: "show an intent: its status, its corrections and the steps of its run",
  details: [
    "Shows the status, the newest corrections, and the run as a table of steps: state, tries, crashes, duration, error and",
    "note. While the run is running it also shows the worker that holds its lock. With --watch it shows the intent again",
    "after each change, and ends when the intent is completed or failed.",
    "",
    "  holdfast intent order-42",
    "  holdfast intent order-42 --watch",
    "  holdfast intent order-42 --json",
  ],
  options: { watch: { summary: "show the intent again after each change, until it is completed or failed" } },
  operations: ["intents.get", "get-lock"],
  async execute(context) {
    const id = context.positionals[0] ?? "";
    if (context.values["watch"] !== true) {
      await showIntent(context, id);
      return exitCodes.done;
    }
    return showOnChange(context, {
      isAbout: (subject) => subject === `intent/${id}` || subject === `lock/intent/${id}`,
      show: async () => !isFinal(await showIntent(context, id)),
    });
  },
});

function isFinal({ status }: WireIntent): boolean {
  return status === "completed" || status === "failed";
}

async function showIntent({ run, call, terminal, isJson, show }: CommandContext, id: string): Promise<WireIntent> {
  const intent = (await run("intents.get", { id, corrections: 10 })) as WireIntent;
  const isHeld = !isJson && intent.run?.state === "running";
  // A caller that may not see the lock still sees the intent.
  const lock = isHeld ? await call("get-lock", { path: `intent/${id}` }).catch(() => undefined) : undefined;
  const { holders = [] } = (lock ?? {}) as Partial<WireLockStatus>;
  show(intent, () => intentDetails(intent, { holders, paint: terminal.paint, nowMs: systemClock.wallMs() }));
  return intent;
}
