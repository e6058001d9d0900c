import { randomBytes, randomUUID } from "node:crypto";

/** Where ids and salts come from. Simulation and tests bring their own. */
export interface Ids {
  /** An id that nobody else has. */
  unique(): string;
  /** `count` random hex strings of 32 digits, one per entry of a batch. */
  salts(count: number): readonly string[];
}

export const systemIds: Ids = {
  unique: () => randomUUID(),
  salts(count) {
    const digits = randomBytes(16 * count).toString("hex");
    return Array.from({ length: count }, (_, index) => digits.slice(32 * index, 32 * index + 32));
  },
};
