/**
 * Prints the progress of a long run: on a terminal as one line that is overwritten, otherwise as a line at intervals.
 */
const lineEveryMs = 30_000;

export class Progress {
  readonly #total: number;
  readonly #noun: string;
  readonly #startMs = performance.now();
  #printedMs = this.#startMs;

  constructor(total: number, noun: string) {
    this.#total = total;
    this.#noun = noun;
  }

  get seconds(): number {
    return (performance.now() - this.#startMs) / 1_000;
  }

  note(done: number, failed: number): void {
    const { stderr } = process;
    if (stderr.isTTY) {
      stderr.write(`\r${this.#line(done, failed)}   `);
      return;
    }
    if (performance.now() - this.#printedMs < lineEveryMs) return;
    this.#printedMs = performance.now();
    stderr.write(`${this.#line(done, failed)}\n`);
  }

  end(): void {
    if (process.stderr.isTTY) process.stderr.write("\n");
  }

  #line(done: number, failed: number): string {
    const rate = done / Math.max(0.001, this.seconds);
    const left = rate === 0 ? "?" : duration((this.#total - done) / rate);
    const share = ((100 * done) / Math.max(1, this.#total)).toFixed(1);
    return `${done} of ${this.#total} ${this.#noun} (${share} %), ${rate.toFixed(1)}/s, ${left} left, ${failed} failed`;
  }
}

function duration(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  if (minutes === 0) return `${seconds.toFixed(0)} s`;
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
