import type { Clock } from "../base/clock.ts";
import { isRejection } from "./gate.ts";
import type { Rejection } from "./gate.ts";
import type { Lookups } from "./lookups.ts";
import type { CallerRights } from "./caller-rights.ts";

/** Maximum timer delay, about 24 days. Tokens live longer. */
const timerMsMax = 86_400_000;

export interface RightsWatch {
  readonly lookups: Lookups;
  readonly clock: Clock;
  /** The current rights of the caller. */
  readonly standing: () => CallerRights | Rejection;
}

/**
 * Calls back once when an admitted caller would be rejected: its token was revoked or has expired. Its next event may
 * be hours away, and its watch would stay open until then. Returns the function to unsubscribe.
 */
export function onRightsLost({ lookups, clock, standing }: RightsWatch, onLost: () => void): () => void {
  const first = standing();
  if (isRejection(first) || first.expiresAt === undefined) return () => undefined;
  let cancelTimer: () => void = () => undefined;
  const look = (): void => {
    const now = standing();
    // While the state is being folded again nothing is known. The next page checks again.
    if (isRejection(now) && now.code !== "journal_unavailable") {
      stop();
      onLost();
      return;
    }
    cancelTimer();
    const leftMs = isRejection(now) ? timerMsMax : (now.expiresAt ?? Infinity) - lookups.now();
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
