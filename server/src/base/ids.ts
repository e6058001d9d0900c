import { randomBytes } from "node:crypto";

/** Where ids and salts come from. Simulation and tests bring their own. */
export interface Ids {
  /** An id that nobody else has. */
  unique(): string;
  /** `count` random hex strings of 32 digits, one per entry of a batch. */
  salts(count: number): readonly string[];
}

/** Ids are drawn so many at a time: asking the operating system for each costs more than all the rest of it. */
const idsPerDraw = 256;
let drawn: string[] = [];

export const systemIds: Ids = {
  unique() {
    const id = drawn.pop();
    if (id !== undefined) return id;
    drawn = [...randomTexts(idsPerDraw)];
    return this.unique();
  },
  salts: (count) => randomTexts(count),
};

function randomTexts(count: number): readonly string[] {
  const digits = randomBytes(16 * count).toString("hex");
  return Array.from({ length: count }, (_, index) => digits.slice(32 * index, 32 * index + 32));
}
