import type { WatchedEvent } from "@holdfast/sdk";
import { systemClock } from "../../../base/clock.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { listenForSignal } from "../terminal/until-signal.ts";
import type { CommandContext } from "./server-command.ts";

interface ShownChange {
  /** Whether an event about this subject is a reason to show it again. */
  readonly isAbout: (subject: string) => boolean;
  /** Shows the current state. False ends the command. */
  readonly show: () => Promise<boolean>;
}

/** Shows something again after each event about it, until it is stopped with Ctrl+C. */
export async function showOnChange(context: CommandContext, { isAbout, show }: ShownChange): Promise<ExitCode> {
  const { terminal, isJson } = context;
  await using client = await context.connect();
  const events = client.watch({ after: await client.cursor() });
  const listening = listenForSignal(systemClock);
  const stopped = listening.signalled.then(() => undefined);
  try {
    for (;;) {
      if (!isJson && terminal.draw !== undefined) terminal.print("\u001b[2J\u001b[H");
      if (!(await show())) return exitCodes.done;
      if (!(await Promise.race([stopped, untilChange(events, isAbout)]))) return exitCodes.done;
    }
  } finally {
    listening.stop();
    void events.return?.();
  }
}

async function untilChange(
  events: AsyncIterator<WatchedEvent>,
  isAbout: (subject: string) => boolean,
): Promise<boolean> {
  for (;;) {
    const next = await events.next();
    if (next.done === true) return false;
    if (isAbout(next.value.subject)) return true;
  }
}
