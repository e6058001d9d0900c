import type { Clock } from "../base/clock.ts";
import { isTurned } from "./gate.ts";
import type { Turned } from "./gate.ts";
import type { Lookups } from "./lookups.ts";
import type { Standing } from "./standing.ts";

/** Timers can't be set for longer than about 24 days; tokens live longer. */
const timerMsMax = 86_400_000;

export interface StandingWatch {
  readonly lookups: Lookups;
  readonly clock: Clock;
  /** How the caller stands now. */
  readonly standing: () => Standing | Turned;
}

/**
 * Calls back once when somebody who was let in would be no more: its token was revoked, or has expired. What it waits for
 * may not come for hours, and a watch that nobody looks at would be open for as long. Returns the way to stop.
 */
export function onStandingLost({ lookups, clock, standing }: StandingWatch, onLost: () => void): () => void {
  const first = standing();
  if (isTurned(first) || first.expiresAt === undefined) return () => undefined;
  let cancelTimer: () => void = () => undefined;
  const look = (): void => {
    const now = standing();
    // A state that is being folded again says nothing; it is looked at again with the next page.
    if (isTurned(now) && now.code !== "journal_unavailable") {
      stop();
      onLost();
      return;
    }
    cancelTimer();
    const leftMs = isTurned(now) ? timerMsMax : (now.expiresAt ?? Infinity) - lookups.now();
    cancelTimer = clock.after(Math.max(1, Math.min(leftMs, timerMsMax)), look, { keepAlive: false });
  };
  const forget = lookups.onTokensChanged(look);
  const stop = (): void => {
    cancelTimer();
    forget();
  };
  look();
  return stop;
}
