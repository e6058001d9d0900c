/** The tools of a bridge while its step works: correct the intent, and report the progress. */
import { pause } from "../../base/pause.ts";
import type { ClientClock } from "../client-clock.ts";
import type { CoreClient } from "../core-client.ts";
import type { Lock } from "../locks/handle/lock.ts";
import type { Intent } from "../packs/intent-operations.ts";
import { intentError } from "./intent-errors.ts";
import type { Correction, Reevaluated } from "./reevaluate.ts";

/** Minimum time between two renewals that carry a note. */
const noteIntervalMs = 1_000;
/** Maximum characters of a note. */
const noteMax = 500;

export interface StepTools {
  /** The version that the step has seen: the one it read, or the one that its own correction made. */
  readonly version: () => number;
  readonly reevaluate: (correction: Correction) => Promise<Reevaluated>;
  readonly note: (text: string) => void;
}

interface StepParts {
  readonly clock: ClientClock;
  readonly owner: CoreClient;
  readonly lock: Lock;
}

export function stepTools({ clock, owner, lock }: StepParts, intent: Intent): StepTools {
  let { version } = intent;
  const { id } = intent;
  const reevaluate = async ({ diff, ...correction }: Correction): Promise<Reevaluated> => {
    const { intents } = owner.operations;
    try {
      const read = typeof diff === "function" ? await intents.get({ id, corrections: 0 }) : undefined;
      const patch = typeof diff === "function" ? diff(read as Intent) : diff;
      const condition = read === undefined ? {} : { expectedVersion: read.version };
      const applied = await intents.reevaluate({ ...correction, ...condition, id, diff: patch, fence: lock.fence });
      // A write of another caller in between must still be noticed when the step ends.
      if (applied.version === version + 1) version = applied.version;
      return applied;
    } catch (error) {
      throw intentError(error);
    }
  };
  return { version: () => version, reevaluate, note: noteSender(clock, lock) };
}

/** A note is one line. The server would refuse a renewal with control characters. */
function noteLine(text: string): string {
  return text
    .replaceAll(/\p{Cc}+/gu, " ")
    .slice(0, noteMax)
    .toWellFormed();
}

/** Sends the newest note with a renewal. Notes that follow each other quickly share one. */
function noteSender(clock: ClientClock, lock: Lock): (text: string) => void {
  let sentMs = -Infinity;
  let waiting: string | undefined;
  const send = async (): Promise<void> => {
    const delayMs = sentMs + noteIntervalMs - clock.monotonicMs();
    if (delayMs > 0) await pause(clock, delayMs, { keepAlive: false, signal: lock.signal });
    const note = waiting ?? "";
    waiting = undefined;
    sentMs = clock.monotonicMs();
    // A note is for readers. If the lock is lost, the signal of the step aborts.
    if (lock.state === "held") await lock.renew({ note }).catch(() => undefined);
  };
  return (text) => {
    const isPlanned = waiting !== undefined;
    waiting = noteLine(text);
    if (!isPlanned) void send();
  };
}
