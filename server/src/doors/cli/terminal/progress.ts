import type { Clock } from "../../../base/clock.ts";
import type { Terminal } from "../command.ts";

const drawnEveryMs = 100;
const saidEveryMs = 1_000;

/**
 * Shows how far long work is: on a terminal as one line that is written over, elsewhere as a line a second, always on
 * standard error. Work that is over within a second says nothing.
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

  /** `doing` is a few words; `done` and `all` are numbers of the same thing. */
  show(doing: string, done: number, all: number): void {
    this.#line(() => `${doing}: ${done} of ${all} (${Math.floor((100 * done) / Math.max(all, 1))} %)`);
  }

  /** For work whose end is not known. */
  count(doing: string, done: number): void {
    this.#line(() => `${doing}: ${done}`);
  }

  #line(text: () => string): void {
    const now = this.#clock.monotonicMs();
    const { draw } = this.#terminal;
    if (now - this.#shownMs < (this.#isDrawn ? drawnEveryMs : saidEveryMs)) return;
    this.#shownMs = now;
    this.#isDrawn = draw !== undefined;
    if (draw === undefined) this.#terminal.warn(text());
    else draw(text());
  }

  /** The work is over: the line makes room for its result. */
  end(): void {
    if (this.#isDrawn) this.#terminal.draw?.("");
    this.#isDrawn = false;
  }
}
