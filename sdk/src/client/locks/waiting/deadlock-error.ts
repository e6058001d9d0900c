/** Every attempt ended in a deadlock. */
export class DeadlockError extends Error {
  override readonly name = "DeadlockError";
  readonly code = "deadlock";
  readonly maxRetries: number;
  readonly lastError: unknown;
  /** The cycle, if the last error has one. */
  readonly cycle: readonly unknown[];

  constructor(tries: number, last: unknown) {
    super(`Operation failed after ${tries} deadlock retries`, { cause: last });
    this.maxRetries = tries;
    this.lastError = last;
    const cycle = (last as { readonly data?: { readonly cycle?: unknown } }).data?.cycle;
    this.cycle = Array.isArray(cycle) ? cycle : [];
  }
}
