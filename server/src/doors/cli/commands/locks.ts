import type { WatchedEvent } from "@holdfast/sdk";
import { systemClock } from "../../../base/clock.ts";
import { limitDefault, limitOption, moreWords, readPages } from "../discovery/all-pages.ts";
import { type Command, UsageError } from "../command.ts";
import type { ExitCode } from "../exit-codes.ts";
import { exitCodes } from "../exit-codes.ts";
import { lockDetails, lockTable } from "../terminal/lock-lines.ts";
import { numberOption, textOption } from "../args/option-values.ts";
import { serverCommand } from "../discovery/server-command.ts";
import type { Asking } from "../discovery/server-command.ts";
import { listenForSignal } from "../terminal/until-signal.ts";

export const locksCommand: Command = serverCommand({
  name: "locks",
  words: "[PATH]",
  wordsMax: 1,
  summary: "show who holds what, why, since when and until when, and who waits",
  details: [
    "Shows every locked path with its holders, what they hold it for, since when, when the lease ends unless it is",
    "renewed, and how many wait. With a PATH it shows that path alone: its holders, those above and below it, the queue,",
    "and the fences that `holdfast force-release` takes.",
    "",
    "  holdfast locks",
    "  holdfast locks repo/x/src",
    "  holdfast locks --under repo/x --watch",
  ],
  options: {
    under: { value: "PATH", summary: "only this path and what is below it" },
    watch: { summary: "show it again whenever something changes, until it is stopped with Ctrl+C" },
    limit: limitOption,
  },
  operations: ["list-locks", "get-lock"],
  ask: showLocks,
});

async function showLocks(asking: Asking): Promise<ExitCode> {
  const { values, words } = asking;
  const under = textOption(values, "under");
  if (words.length > 0 && under !== undefined) throw new UsageError("give a PATH or --under, not both");
  return values["watch"] === true ? watchLocks(asking) : showOnce(asking);
}

async function showOnce(asking: Asking): Promise<ExitCode> {
  const { client, terminal, words, values, show } = asking;
  const { paint } = terminal;
  const [path] = words;
  const nowMs = systemClock.wallMs();
  if (path !== undefined) {
    const status = await client.locks.status(path);
    return show(status, () => lockDetails(status, { paint, nowMs }));
  }
  const under = textOption(values, "under");
  const limit = numberOption(values, "limit", 1) ?? limitDefault;
  const page = await readPages(limit, (part) =>
    client.locks.list({ ...(under === undefined ? {} : { under }), ...part }),
  );
  return show(page, () => lockTable(page.items, { paint, nowMs }) + moreWords(page.next));
}

/** Shows it again after each event about a lock or a ticket. */
async function watchLocks(asking: Asking): Promise<ExitCode> {
  const { client, terminal, isJson } = asking;
  const events = client.watch({ after: await client.cursor() });
  const listening = listenForSignal(systemClock);
  const stopped = listening.signalled.then(() => undefined);
  try {
    for (;;) {
      if (!isJson && terminal.draw !== undefined) terminal.say("\u001b[2J\u001b[H");
      await showOnce(asking);
      if (!(await Promise.race([stopped, untilChange(events)]))) return exitCodes.done;
    }
  } finally {
    listening.stop();
    void events.return?.();
  }
}

async function untilChange(events: AsyncIterator<WatchedEvent>): Promise<boolean> {
  for (;;) {
    const next = await events.next();
    if (next.done === true) return false;
    if (/^(lock|ticket)\//u.test(next.value.subject)) return true;
  }
}
