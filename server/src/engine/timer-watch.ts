import type { Clock } from "../base/clock.ts";
import type { TimerCommand } from "../machine/feature.ts";
import type { Machine } from "../machine/machine.ts";
import type { PendingCommand } from "./command-queue.ts";
import type { GracePeriod } from "./grace-period.ts";
import { engineLimits } from "./limits.ts";
import type { Reply } from "./reply.ts";
import type { EngineCommand } from "./state-hasher.ts";

/** The principal of commands that Holdfast itself sends. */
export const systemPrincipal = "holdfast";

/** The state of the node, whose timers are watched. */
interface WatchedState {
  readonly machine: Pick<Machine, "due" | "hasLeases" | "nextTime">;
  readonly time: { now(): number };
  readonly head: { readonly position: number };
}

/**
 * Turns due timers into commands. During the grace period it asks only the timers that run in it. While a lease exists
 * it also ticks, to detect that the process itself was suspended. A holder that could not reach the server for a second
 * must get time to renew.
 */
export class TimerWatch {
  readonly #clock: Clock;
  readonly #grace: GracePeriod;
  readonly #wake: () => void;
  readonly #rank: () => number;
  #cancelTick: (() => void) | undefined;
  /** The planned time of the next check, if a timer exists. */
  #checkAtMs: number | undefined;
  /** A timer command that changed nothing would be due again immediately, forever. The next check is a tick later. */
  #restUntilMs = 0;
  /** No timer of the machine is due before `nextTime` while it is at this position. It saves asking all timers again. */
  #asked: { readonly machine?: WatchedState["machine"]; readonly position: number; readonly nextTime: number } = {
    position: -1,
    nextTime: 0,
  };

  constructor(options: { clock: Clock; grace: GracePeriod; wake: () => void; rank: () => number }) {
    this.#rank = options.rank;
    this.#clock = options.clock;
    this.#grace = options.grace;
    this.#wake = options.wake;
  }

  /** The due commands. They are decided after the commands of callers, so that renewals precede expiries. */
  takeDue({ machine, time, head }: WatchedState, limit: number): readonly PendingCommand[] {
    // Nodes with a lower rank act first. This node finds their effect and does not repeat it.
    const untilTime = time.now() - this.#delayMs();
    if (limit <= 0 || this.#nextTime(machine, head.position, untilTime) > untilTime) return [];
    if (this.#clock.monotonicMs() < this.#restUntilMs) return [];
    const grace = !this.#grace.isOver();
    if (grace && (machine.nextTime({ time: untilTime, grace }) ?? Infinity) > untilTime) return [];
    return machine.due({ time: untilTime, grace, limit }).map((command) => this.pendingOf(command, { isTimer: true }));
  }

  pendingOf(timer: TimerCommand, { isTimer }: { isTimer: boolean }): PendingCommand {
    return {
      command: { ...timer, principal: systemPrincipal },
      scope: undefined,
      counterpart: undefined,
      isWithdrawal: false,
      caller: systemPrincipal,
      bytes: 0,
      deadlineMs: Infinity,
      reply: (reply) => {
        if (reply.events.length === 0) this.#restUntilMs = this.#clock.monotonicMs() + engineLimits.tickMs;
      },
      isTimer,
      mustExpect: false,
      isAttempted: false,
      isHeadRead: false,
    };
  }

  /** A command of the engine itself. It is not requeued after a failed append, because it is due again anyway. */
  pendingOfEngine({ command, done }: EngineCommand): PendingCommand {
    const reply = ({ outcome }: Reply): void => {
      if (outcome.kind === "done") done();
    };
    return { ...this.pendingOf(command, { isTimer: true }), reply };
  }

  /**
   * Detects that the process was suspended: the check runs later than planned. This must run before any decision. The tick
   * alone is not enough, because commands that arrived meanwhile may be processed before a late tick.
   */
  noteLateness(): void {
    if (this.#checkAtMs !== undefined) this.#grace.noteStallSince(this.#checkAtMs);
  }

  /** Schedules the next check: when the next timer is due, and at least once a tick while a lease exists. */
  watch({ machine, time: clock, head }: WatchedState): void {
    this.#cancelTick?.();
    this.#cancelTick = undefined;
    this.#checkAtMs = undefined;
    const time = clock.now();
    const nextTime = this.#nextTime(machine, head.position, time);
    if (nextTime === Infinity) return;
    const startMs = this.#clock.monotonicMs();
    const untilDueMs = (dueTime: number): number => dueTime + this.#delayMs() - time;
    // An overdue timer waits for the end of the grace period and of the rest. A check each millisecond would waste CPU.
    const afterGraceMs = Math.max(untilDueMs(nextTime), this.#grace.endsAt - startMs);
    const inGraceMs = untilDueMs(machine.nextTime({ time, grace: true }) ?? Infinity);
    const waitMs = Math.max(Math.min(afterGraceMs, inGraceMs), this.#restUntilMs - startMs, 1);
    const delayMs = Math.min(waitMs, machine.hasLeases ? engineLimits.tickMs : engineLimits.sleepMsMax);
    this.#checkAtMs = startMs + delayMs;
    this.#cancelTick = this.#clock.after(delayMs, this.#wake, { keepAlive: false });
  }

  stop(): void {
    this.#cancelTick?.();
    this.#cancelTick = undefined;
  }

  /** The time of the next timer, also of those that wait for the end of the grace period. It may be too early. */
  #nextTime(machine: WatchedState["machine"], position: number, time: number): number {
    const asked = this.#asked;
    if (machine !== asked.machine || position !== asked.position || time >= asked.nextTime) {
      this.#asked = { machine, position, nextTime: machine.nextTime({ time }) ?? Infinity };
    }
    return this.#asked.nextTime;
  }

  #delayMs(): number {
    return this.#rank() * engineLimits.rankDelayMs;
  }
}
