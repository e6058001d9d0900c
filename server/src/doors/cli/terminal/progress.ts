import type { Clock } from "../../../base/clock.ts";
import type { Terminal } from "../command.ts";

/** Interval between two updates on a terminal. */
const redrawIntervalMs = 100;
/** Interval between two lines elsewhere, and the delay of the first update. */
const lineIntervalMs = 1_000;

/**
 * Shows the progress of long work on standard error. A terminal gets one line that is overwritten; other outputs get one
 * line per second. Work that ends within a second prints no progress.
 */
export class Progress {
  readonly #terminal: Terminal;
  readonly #clock: Clock;
  readonly #startMs: number;
  #shownMs: number;
  #isDrawn = false;

  constructor(terminal: Terminal, clock: Clock) {
    this.#terminal = terminal;
    this.#clock = clock;
    this.#startMs = clock.monotonicMs();
    this.#shownMs = this.#startMs;
  }

  get seconds(): number {
    return (this.#clock.monotonicMs() - this.#startMs) / 1_000;
  }

  /** Shows work of a known size. `done` and `total` have the same unit. */
  show(label: string, done: number, total: number): void {
    this.#line(() => `${label}: ${done} of ${total} (${Math.floor((100 * done) / Math.max(total, 1))} %)`);
  }

  /** Shows work of an unknown size. */
  count(label: string, done: number): void {
    this.#line(() => `${label}: ${done}`);
  }

  #line(text: () => string): void {
    const now = this.#clock.monotonicMs();
    const { draw } = this.#terminal;
    if (now - this.#shownMs < (this.#isDrawn ? redrawIntervalMs : lineIntervalMs)) return;
    this.#shownMs = now;
    this.#isDrawn = draw !== undefined;
    if (draw === undefined) this.#terminal.warn(text());
    else draw(text());
  }

  /** Clears the line, so that the result can be printed. */
  end(): void {
    if (this.#isDrawn) this.#terminal.draw?.("");
    this.#isDrawn = false;
  }
}
