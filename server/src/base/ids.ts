import { randomBytes } from "node:crypto";

/** The source of ids and salts. The simulation and the tests use their own. */
export interface Ids {
  /** A unique id. */
  unique(): string;
  /** `count` random hex strings of 32 digits, one per entry of a batch. */
  salts(count: number): readonly string[];
}

/** Number of random texts per system call. One call per text would dominate the cost of an id. */
const textsPerDraw = 256;
let drawn: string[] = [];

export const systemIds: Ids = {
  unique: () => drawText(),
  // A large batch would empty the pool, so it makes a system call of its own.
  salts: (count) => (count < textsPerDraw / 8 ? Array.from({ length: count }, drawText) : randomTexts(count)),
};

function drawText(): string {
  const text = drawn.pop();
  if (text !== undefined) return text;
  drawn = [...randomTexts(textsPerDraw)];
  return drawText();
}

function randomTexts(count: number): readonly string[] {
  const digits = randomBytes(16 * count).toString("hex");
  const texts: string[] = [];
  for (let start = 0; start < digits.length; start += 32) texts.push(digits.slice(start, start + 32));
  return texts;
}
