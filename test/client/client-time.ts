import type { ClientClock } from "holdfast";
import type { ManualClock } from "../engine/manual-clock.ts";

/** A client clock that follows the clock of a test and has no randomness. */
export function clientTime(clock: ManualClock, unique: () => string): ClientClock {
  return {
    monotonicMs: () => clock.monotonicMs(),
    wallMs: () => clock.wallMs(),
    after: clock.after.bind(clock),
    soon: clock.soon.bind(clock),
    random: () => 0.5,
    unique,
  };
}
