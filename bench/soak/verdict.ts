/** Whether a long run was flat: its last third beside the third before it. The first one is for warming up. */
import { median } from "../report.ts";
import type { Sample } from "./sample.ts";

export interface Finding {
  readonly what: string;
  readonly before: number;
  readonly after: number;
  /** How much more it may be at the end. */
  readonly most: number;
  readonly isFlat: boolean;
}

export function findingsOf(samples: readonly Sample[]): readonly Finding[] {
  const third = Math.floor(samples.length / 3);
  const [middle, last] = [samples.slice(third, 2 * third), samples.slice(2 * third)];
  const compare = (what: string, of: (sample: Sample) => number, most: number, slack: number): Finding => {
    const [before, after] = [median(middle.map(of)), median(last.map(of))];
    return { what, before, after, most, isFlat: after <= before * most + slack };
  };
  return [
    compare("memory of the server, MB", ({ memoryMb }) => memoryMb, 1.1, 5),
    compare("file descriptors of the server", ({ descriptors }) => descriptors, 1, 5),
    compare("p95 of a call that waits for nobody, ms", ({ p95 }) => p95, 1.5, 2),
  ];
}
