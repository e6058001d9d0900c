/** A deliberate bug: a few words of a source file are replaced while a test loads it. The product itself has no switch. */
export interface PlantedMutant {
  readonly name: string;
  /** The file, from the root of the repository. */
  readonly file: string;
  /** The text that is replaced. It occurs exactly once, or the mutant is about code that is gone. */
  readonly find: string;
  readonly put: string;
  /** The proof that catches it: seeds of the simulation, or a test file. */
  readonly by: "simulation" | `test/${string}.test.ts`;
  /** The command whose counts are enough to catch it. `npm run prove` repeats more. */
  readonly caughtIn: "npm test" | "npm run prove";
}

/** The text of the file with the bug in it. */
export function planted({ name, file, find, put }: PlantedMutant, text: string): string {
  const [before, after, ...more] = text.split(find);
  if (before === undefined || after === undefined || more.length > 0) {
    throw new Error(`the mutant "${name}" must find its text exactly once in ${file}`);
  }
  return before + put + after;
}
