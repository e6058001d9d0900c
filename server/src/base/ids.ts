import { randomBytes } from "node:crypto";

/** Where ids and salts come from. Simulation and tests bring their own. */
export interface Ids {
  /** An id that nobody else has. */
  unique(): string;
  /** `count` random hex strings of 32 digits, one per entry of a batch. */
  salts(count: number): readonly string[];
}

/** They are drawn so many at a time: asking the operating system for each costs more than all the rest of it. */
const textsPerDraw = 256;
let drawn: string[] = [];

export const systemIds: Ids = {
  unique: () => drawOne(),
  // A large batch would empty the pool, and is a draw of its own anyway.
  salts: (count) => (count < textsPerDraw / 8 ? Array.from({ length: count }, drawOne) : randomTexts(count)),
};

function drawOne(): string {
  const text = drawn.pop();
  if (text !== undefined) return text;
  drawn = [...randomTexts(textsPerDraw)];
  return drawOne();
}

function randomTexts(count: number): readonly string[] {
  const digits = randomBytes(16 * count).toString("hex");
  return Array.from({ length: count }, (_, index) => digits.slice(32 * index, 32 * index + 32));
}
