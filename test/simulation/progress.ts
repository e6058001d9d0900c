/** Tells how far a long run is: on a terminal in one line that is written over, else in a line now and then. */
const lineEveryMs = 30_000;

export class Progress {
  readonly #total: number;
  readonly #noun: string;
  readonly #startMs = performance.now();
  #toldMs = this.#startMs;

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
    if (performance.now() - this.#toldMs < lineEveryMs) return;
    this.#toldMs = performance.now();
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
