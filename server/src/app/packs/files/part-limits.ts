/** Limits of the parts of files that arrive. */
export const partLimits = {
  /** Maximum parts in memory at once. */
  partsMax: 16,
  /** Maximum parts of one principal in memory at once. */
  partsOfPrincipalMax: 12,
  /** Maximum time in which a part arrives. A whole part of 8 MiB needs 28 KB a second, and a smaller one needs less. */
  partMs: 300_000,
} as const;
