/** Limits of the pack. Those of inputs are in the contract. */
export const intentsLimits = {
  /** Maximum corrections of an intent. */
  corrections: 1_000,
  /** Maximum earlier runs that keep a summary. */
  earlierRuns: 20,
  /** Maximum rows that a list examines for one page. */
  rowsPerPage: 1_000,
  /** Maximum corrections that a reply shows unless the caller asks for more. */
  correctionsShown: 100,
  /** Maximum intents and corrections that leave the state in one entry. */
  retiredAtOnce: 500,
  /** Maximum bytes of the metadata of a correction, as JSON. */
  metadataBytes: 16 * 1024,
} as const;
