/** Whether a long run was flat: compares its last third with the middle third. The first third is the warm-up. */
import { median } from "../report.ts";
import type { Sample } from "./sample.ts";

export interface Finding {
  readonly what: string;
  readonly before: number;
  readonly after: number;
  /** Maximum ratio of the last third to the middle third. */
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
    compare("p95 of a call that waits for no other agent, ms", ({ p95 }) => p95, 1.5, 2),
  ];
}
