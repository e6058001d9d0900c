import type { Random } from "./random.ts";

/**
 * All faults, with the probability at each opportunity. Every seed enables a subset, each with its own strength. Some
 * faults hide others: a node that always crashes never meets a slow subscriber.
 */
const probabilities = {
  "append fails for certain": 0.06,
  "append fails, nothing written": 0.06,
  "append fails, batch written": 0.06,
  "append fails, batch lands later": 0.08,
  "append is slow": 0.1,
  "append stalls for over a second": 0.03,
  "read fails": 0.04,
  "read is slow": 0.1,
  "read stalls for over a second": 0.02,
  "pages are small": 0.5,
  "keys are forgotten": 0.3,
  "wake is lost": 0.3,
  "wake is late": 0.3,
  "wake comes twice": 0.2,
  "crash before the batch is written": 0.04,
  "crash after the batch is written": 0.04,
  "append of a crashed node lands later": 0.5,
  "crash between two steps": 0.008,
  "node stops gracefully": 0.006,
  "process is paused for over a second": 0.006,
  "timer is late": 0.2,
  "wall clock jumps forward": 0.006,
  "wall clock jumps back": 0.006,
  "journal goes back": 0.006,
  "reply is lost": 0.1,
  "command is sent twice to one node": 0.08,
  "command is sent to two nodes": 0.08,
  "key is used for another request": 0.03,
  "deadline is short": 0.1,
  "burst of commands": 0.02,
  "poisonous command": 0.01,
  "decision is slow": 0.03,
  "subscriber is slow": 0.7,
  "subscriber connects again": 0.15,
  "service fails": 0.02,
} as const;

export type FaultName = keyof typeof probabilities;

export const faultNames = Object.keys(probabilities) as readonly FaultName[];

/** Factors for the probability of an enabled fault. */
const strengths = [0.3, 1, 3] as const;

export class Faults {
  readonly #random: Random;
  readonly #probabilities = new Map<FaultName, number>();
  readonly counts: Map<string, number>;
  #isOn = true;

  constructor(random: Random, counts: Map<string, number>) {
    this.#random = random;
    this.counts = counts;
    // Some seeds run without any fault, since a defect may need a long undisturbed history.
    const share = random.pick([0, 0.2, 0.5, 0.5, 0.8]);
    for (const name of faultNames) {
      const strength = random.pick(strengths);
      if (random.chance(share)) this.#probabilities.set(name, Math.min(0.9, probabilities[name] * strength));
    }
  }

  /** True if this fault happens at this opportunity. */
  occurs(name: FaultName): boolean {
    if (!this.#isOn) return false;
    const probability = this.#probabilities.get(name);
    if (probability === undefined || !this.#random.chance(probability)) return false;
    this.count(name);
    return true;
  }

  /** Counts a rare event, so that a summary shows the events that never happen. */
  count(name: string): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
  }

  /** Disables all faults from here on. */
  cease(): void {
    this.#isOn = false;
  }
}
