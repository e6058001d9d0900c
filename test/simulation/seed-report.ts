import type { Tallies } from "./tally.ts";

/** A seed that broke a promise. */
export interface SeedFailure {
  readonly seed: number;
  readonly promise: string;
  readonly detail: string;
}

/** The results of a thread since its last report. */
export interface SeedReport {
  readonly seedCount: number;
  readonly stepCount: number;
  readonly tallies: Tallies;
  readonly failures: readonly SeedFailure[];
}
