import { engineLimits } from "./limits.ts";

/** The journal can't be written now: since when, why, and when the next attempt is allowed. */
export interface Trouble {
  readonly reason: string;
  readonly sinceMs: number;
  readonly retryAtMs: number;
  readonly delayMs: number;
}

/** Each failure doubles the time to the next attempt, within bounds, so that a full disk is not hammered. */
export function worse(trouble: Trouble | undefined, reason: string, nowMs: number): Trouble {
  const delayMs =
    trouble === undefined ? engineLimits.retryFirstMs : Math.min(2 * trouble.delayMs, engineLimits.retryMaxMs);
  return { reason, sinceMs: trouble?.sinceMs ?? nowMs, retryAtMs: nowMs + delayMs, delayMs };
}
