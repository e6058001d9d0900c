import { coreTexts } from "../data/core-texts.ts";
import type { CoreTexts } from "../data/contract-data.ts";

/** The texts of the core problems. */
export function loadedTexts(): CoreTexts | undefined {
  return coreTexts;
}

/** There is nothing to load: a program in Node has the texts from the start. */
export function loadTexts(): Promise<void> | undefined {
  return undefined;
}
