import type { ClientClock } from "holdfast";
import type { ManualClock } from "../engine/manual-clock.ts";

/** The clock of a client that lives by the clock that a test moves, with chance that is none. */
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
