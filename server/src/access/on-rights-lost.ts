import type { Clock } from "../base/clock.ts";
import { isRejection } from "./gate.ts";
import type { Rejection } from "./gate.ts";
import type { Lookups } from "./lookups.ts";
import { operatorRights } from "./caller-rights.ts";
import type { CallerRights } from "./caller-rights.ts";
import type { OperatorToken } from "./operator-token.ts";

/**
 * Maximum delay of one timer: one day. A longer expiry is checked again each day, because setTimeout supports only
 * about 24 days.
 */
const timerMsMax = 86_400_000;

interface RightsWatch {
  readonly lookups: Lookups;
  readonly clock: Clock;
  readonly operatorToken: OperatorToken;
  /** The current rights of the caller. */
  readonly currentRights: () => CallerRights | Rejection;
}

/**
 * Calls back once when an admitted caller would be rejected: its token was revoked or rotated, or has expired. Its next event may
 * be hours away, and its watch would stay open until then. Returns the function to unsubscribe.
 */
export function onRightsLost(watch: RightsWatch, onLost: () => void): () => void {
  const { lookups, clock, operatorToken, currentRights } = watch;
  const first = currentRights();
  if (first === operatorRights) return onOperatorLost(operatorToken, onLost);
  if (isRejection(first) || first.expiresAt === undefined) return () => undefined;
  let cancelTimer: () => void = () => undefined;
  const check = (): void => {
    const rights = currentRights();
    // While the node folds its state again, the rights are unknown. The next page checks them again.
    if (isRejection(rights) && rights.code !== "journal_unavailable") {
      stop();
      onLost();
      return;
    }
    cancelTimer();
    const leftMs = isRejection(rights) ? timerMsMax : (rights.expiresAt ?? Infinity) - lookups.now();
    cancelTimer = clock.after(Math.max(1, Math.min(leftMs, timerMsMax)), check, { keepAlive: false });
  };
  const unsubscribe = lookups.onTokensChanged(check);
  const stop = (): void => {
    cancelTimer();
    unsubscribe();
  };
  check();
  return stop;
}

/** The operator's token has no expiry. Its rotation ends the rights of all its bearers. */
function onOperatorLost(operatorToken: OperatorToken, onLost: () => void): () => void {
  const unsubscribe = operatorToken.onRotated(() => {
    unsubscribe();
    onLost();
  });
  return unsubscribe;
}
