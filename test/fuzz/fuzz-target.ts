import type { Random } from "../simulation/random.ts";

/** Something that takes input from outside. A round gives it some, and throws if it does not do what it must. */
export interface FuzzTarget {
  readonly name: string;
  /** How many rounds are part of `npm test`. */
  readonly quickRounds: number;
  readonly open: () => Promise<OpenTarget>;
}

export interface OpenTarget {
  readonly round: (random: Random) => void | Promise<void>;
  readonly close: () => Promise<void>;
}

/** A target without anything to open. */
export function plainTarget(name: string, quickRounds: number, round: (random: Random) => void): FuzzTarget {
  return { name, quickRounds, open: () => Promise.resolve({ round, close: () => Promise.resolve() }) };
}
