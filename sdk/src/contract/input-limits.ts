/** How much one input may hold, wherever it is checked first. The server has the last word. */
export const inputLimits = {
  /** Containers inside one another. */
  depthMax: 64,
  /** UTF-8 bytes of the compact JSON text. */
  bytesMax: 1_048_576,
  /** Members of all objects and elements of all arrays together. */
  membersMax: 100_000,
  /** UTF-16 units of one member's name. */
  nameLengthMax: 1_024,
} as const;
