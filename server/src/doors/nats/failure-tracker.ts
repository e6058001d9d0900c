/** The current failures by part. Reports each failure once, and its end. */
export class FailureTracker {
  readonly #reasons = new Map<string, string>();
  readonly #report: (message: string, cause: unknown) => void;
  readonly #notice: (message: string) => void;

  constructor(report: (message: string, cause: unknown) => void, notice: (message: string) => void) {
    this.#report = report;
    this.#notice = notice;
  }

  get reasons(): readonly string[] {
    return [...this.#reasons].map(([part, reason]) => `${part}: ${reason}`);
  }

  record(part: string, error: unknown): void {
    const reason = reasonOf(error);
    if (this.#reasons.get(part) === reason) return;
    this.#reasons.set(part, reason);
    this.#report(`NATS, ${part}: ${reason}; retrying`, undefined);
  }

  clear(part: string): void {
    if (this.#reasons.delete(part)) this.#notice(`NATS, ${part}: recovered`);
  }
}

function reasonOf(error: unknown): string {
  if (error === undefined) return "it ended";
  return error instanceof Error ? error.message || error.name : "it failed";
}
