import type { CountName } from "../prove/counts.ts";
import type { Random } from "../simulation/random.ts";

/** A part of the product that reads input from outside. A round sends it some, and throws if it misbehaves. */
export interface FuzzTarget {
  readonly name: string;
  /** The count that says how many rounds `npm test` and `npm run prove` run. */
  readonly rounds: CountName;
  readonly open: () => Promise<OpenTarget>;
}

export interface OpenTarget {
  readonly round: (random: Random) => void | Promise<void>;
  readonly close: () => Promise<void>;
}

/** A target without anything to open. */
export function plainTarget(name: string, rounds: CountName, round: (random: Random) => void): FuzzTarget {
  return { name, rounds, open: () => Promise.resolve({ round, close: () => Promise.resolve() }) };
}
