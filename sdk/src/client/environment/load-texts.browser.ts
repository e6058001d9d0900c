import type { CoreTexts } from "../data/contract-data.ts";

let texts: CoreTexts | undefined;

/** The texts of the core problems, once a refusal needed them. */
export function loadedTexts(): CoreTexts | undefined {
  return texts;
}

/** Loads the texts on the first refusal: a page that is never refused does not download them. */
export function loadTexts(): Promise<void> | undefined {
  if (texts !== undefined) return undefined;
  return import("../data/core-texts.ts").then(({ coreTexts }) => {
    texts = coreTexts;
  });
}
