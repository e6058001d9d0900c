import type { Tallies } from "./tally.ts";

/** A seed that broke a promise. */
export interface Failure {
  readonly seed: number;
  readonly promise: string;
  readonly detail: string;
}

/** What a thread tells of the seeds that it has run since it last told. */
export interface SeedReport {
  readonly seeds: number;
  readonly stepCount: number;
  readonly tallies: Tallies;
  readonly failures: readonly Failure[];
}
