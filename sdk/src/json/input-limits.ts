/**
 * How much one input may hold. The checks that walk a value recurse once per level, so `depthMax` must stay in the
 * hundreds; everything else may be set freely.
 */
export interface InputLimits {
  /** Containers inside one another: a number has depth 0, `[]` depth 1, `[[]]` depth 2. */
  readonly depthMax: number;
  /** UTF-8 bytes: of the text as sent when text is parsed, of the compact JSON text when a value is handed over. */
  readonly bytesMax: number;
  /** Members of all objects and elements of all arrays, on every level, together. */
  readonly membersMax: number;
  /** UTF-16 units of one string; no limit of its own when absent. */
  readonly stringLengthMax?: number;
  /** UTF-16 units of one member's name. */
  readonly nameLengthMax: number;
}

/** The limits of a command, unless the configuration says otherwise. */
export const inputLimits: InputLimits = {
  depthMax: 64,
  bytesMax: 1_048_576,
  membersMax: 100_000,
  nameLengthMax: 1_024,
};
