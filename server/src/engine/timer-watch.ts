import type { Clock } from "../base/clock.ts";
import type { TimerCommand } from "../machine/feature.ts";
import type { Machine } from "../machine/machine.ts";
import type { PendingCommand } from "./command-queue.ts";
import type { GracePeriod } from "./grace-period.ts";
import { engineLimits } from "./limits.ts";
import type { Reply } from "./reply.ts";
import type { EngineCommand } from "./state-hasher.ts";

/** The principal of what Holdfast itself sends. */
export const systemPrincipal = "holdfast";

/**
 * Turns what is due into commands, once the grace is over. While anything can become due it also ticks, to notice
 * when the process itself stood still: a holder that could not reach us for a second must get time to renew.
 */
export class TimerWatch {
  readonly #clock: Clock;
  readonly #grace: GracePeriod;
  readonly #wake: () => void;
  readonly #rank: () => number;
  #cancelTick: (() => void) | undefined;
  /** When it meant to look again, if anything can become due. */
  #lookAtMs: number | undefined;
  /** A timer command that changed nothing would come again at once, for ever; so the next look is a tick later. */
  #restUntilMs = 0;

  constructor(options: { clock: Clock; grace: GracePeriod; wake: () => void; rank: () => number }) {
    this.#rank = options.rank;
    this.#clock = options.clock;
    this.#grace = options.grace;
    this.#wake = options.wake;
  }

  /** Commands that are due, to be decided after what callers sent: renewals come before expiries. */
  takeDue(machine: Machine, time: number, limit: number): readonly PendingCommand[] {
    const nowMs = this.#clock.monotonicMs();
    if (limit <= 0 || !this.#grace.isOver() || nowMs < this.#restUntilMs) return [];
    // Others come first, and what they have done by then is not done twice.
    const untilTime = time - this.#delayMs();
    const next = machine.nextTime();
    if (next === undefined || next > untilTime) return [];
    return machine.due(untilTime, limit).map((command) => this.pendingOf(command, { isTimer: true }));
  }

  pendingOf(timer: TimerCommand, { isTimer }: { isTimer: boolean }): PendingCommand {
    return {
      command: { ...timer, principal: systemPrincipal },
      scope: undefined,
      caller: systemPrincipal,
      bytes: 0,
      deadlineMs: Infinity,
      reply: (reply) => {
        if (reply.events.length === 0) this.#restUntilMs = this.#clock.monotonicMs() + engineLimits.tickMs;
      },
      isTimer,
      mustExpect: false,
      isAttempted: false,
    };
  }

  /** What the engine itself records. Not put back if the append fails: it is due again anyway. */
  pendingOfEngine({ command, done }: EngineCommand): PendingCommand {
    const reply = ({ outcome }: Reply): void => {
      if (outcome.kind === "done") done();
    };
    return { ...this.pendingOf(command, { isTimer: true }), reply };
  }

  /**
   * Notices that the process stood still: it looks later than it meant to. This must come before anything is decided,
   * and not from the tick alone, since what arrived meanwhile may well be dealt with before a tick that is late.
   */
  noteLateness(): void {
    if (this.#lookAtMs !== undefined) this.#grace.noteStallSince(this.#lookAtMs);
  }

  /** Looks again when the next one is due, and at least once a tick. */
  watch(nextTime: number | undefined, time: number): void {
    this.#cancelTick?.();
    this.#cancelTick = undefined;
    this.#lookAtMs = undefined;
    if (nextTime === undefined) return;
    const startMs = this.#clock.monotonicMs();
    // What is overdue has to wait for the grace and the rest: looking every millisecond until then would only burn.
    const waitMs = Math.max(
      nextTime + this.#delayMs() - time,
      this.#grace.endsAt - startMs,
      this.#restUntilMs - startMs,
      1,
    );
    const delayMs = Math.min(waitMs, engineLimits.tickMs);
    this.#lookAtMs = startMs + delayMs;
    this.#cancelTick = this.#clock.after(delayMs, this.#wake, { keepAlive: false });
  }

  stop(): void {
    this.#cancelTick?.();
    this.#cancelTick = undefined;
  }

  #delayMs(): number {
    return this.#rank() * engineLimits.rankDelayMs;
  }
}
